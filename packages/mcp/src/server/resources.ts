import { failureText, forModel, safeData } from '@agent-relay/protocol';
import { isRelayError } from '@agent-relay/sdk';
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import { mainToolset } from '../framework/toolset.ts';
import type { ClientContext } from './client-context.ts';

/** Answers `resources/list`, `resources/templates/list` and `resources/read`. */
export function serveResources(server: Server, context: ClientContext): void {
  const { resources, templates } = context.offering;
  server.setRequestHandler('resources/list', () => ({
    resources: resources.map(({ uri, name, description, mimeType }) => ({
      uri,
      name,
      description,
      mimeType,
    })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: templates.map(({ uriTemplate, name, description, mimeType }) => ({
      uriTemplate,
      name,
      description,
      mimeType,
    })),
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => readResource(uri, context));
}

async function readResource(
  uri: string,
  { offering, participant, nextSteps }: ClientContext,
): Promise<ReadResourceResult> {
  try {
    const resource = offering.resources.find((known) => known.uri === uri);
    if (resource) return await resource.read(participant);
    for (const template of offering.templates) {
      const value = template.match(uri);
      if (value !== undefined) return await template.read(participant, value, uri);
    }
  } catch (error) {
    if (!isRelayError(error)) throw error;
    const explained = forModel(error, mainToolset(offering.tools.toolsets).wording.nextSteps, nextSteps);
    throw new ProtocolError(ProtocolErrorCode.InternalError, failureText(explained), {
      error: safeData(explained.toPayload()),
    });
  }
  throw new ResourceNotFoundError(uri);
}
