import { nameKey, nearNames, plainAgentName, safeLine } from '@agent-relay/protocol';
import type { AgentOffer } from '@agent-relay/sdk';
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { Resource, ResourceTemplate } from '../framework/resource.ts';
import { JSON_TYPE, jsonContents } from '../framework/result.ts';
import { withSenderType } from '../framework/shown-message.ts';
import { connectionStatus } from '../participant/connection-status.ts';
import { knownAgents } from '../participant/known-names.ts';
import type { Participant } from '../participant/participant.ts';

const CAPABILITIES = 'relay://capabilities';
const INBOX_LIMIT = 50;
const MESSAGES_LIMIT = 100;

/** A resource whose content is data. */
const data = (
  resource: Omit<Resource, 'mimeType' | 'read'> & { value(participant: Participant): Promise<unknown> },
): Resource => {
  const { value, ...described } = resource;
  return {
    ...described,
    mimeType: JSON_TYPE,
    read: async (participant) => jsonContents(described.uri, await value(participant)),
  };
};

export const RESOURCES: readonly Resource[] = [
  data({
    uri: 'relay://agents',
    name: 'Online agents',
    description: 'Agents that are connected now',
    changesWith: ['agents', 'connected'],
    value: async (participant) => (await participant.relay()).who(),
  }),
  data({
    uri: 'relay://inbox',
    name: 'Inbox',
    description: 'Your unread messages; reading this resource does not mark them as read',
    changesWith: ['inbox', 'connected'],
    value: async (participant) => {
      const relay = await participant.relay();
      const inbox = await relay.inbox({ limit: INBOX_LIMIT, unreadOnly: true, markRead: false });
      return inbox.messages.map(withSenderType);
    },
  }),
  data({
    uri: 'relay://events',
    name: 'Events',
    description: 'What happened to your messages, deliveries, actions and workers since you connected',
    changesWith: ['happened'],
    value: async (participant) => {
      await participant.relay();
      return participant.recentEvents.list();
    },
  }),
  data({
    uri: 'relay://project',
    name: 'Project',
    description: 'The project you are in, and its daemon',
    changesWith: ['connected'],
    value: async (participant) => {
      const { project, socketPath, daemonVersion } = await connectionStatus(participant);
      return { project, socketPath, daemonVersion };
    },
  }),
  data({
    uri: 'relay://messages',
    name: 'Messages',
    description: 'The latest messages you can see',
    changesWith: ['inbox', 'connected'],
    value: async (participant) => {
      const { messages } = await (await participant.relay()).history({ limit: MESSAGES_LIMIT });
      return messages.map(withSenderType);
    },
  }),
  data({
    uri: 'relay://channels',
    name: 'Channels',
    description: 'Channels and their members',
    changesWith: ['channels', 'connected'],
    value: async (participant) => {
      const { channels } = await participant.relay();
      const all = await channels.list();
      return await Promise.all(
        all.map(async (channel) => ({ ...channel, members: await channels.members(channel.name) })),
      );
    },
  }),
  {
    uri: CAPABILITIES,
    name: 'Capabilities',
    description: 'Online agents by what they say they can do (not verified)',
    mimeType: JSON_TYPE,
    changesWith: ['agents', 'connected'],
    read: async (participant) => {
      const offers = await (await participant.relay()).discover();
      const { contents: names } = jsonContents(CAPABILITIES, agentsByCapability(offers));
      const described = descriptionsByAgent(offers);
      if (Object.keys(described).length === 0) return { contents: names };
      return {
        contents: [...names, ...jsonContents(CAPABILITIES, { descriptions: described }).contents],
      };
    },
  },
];

export const RESOURCE_TEMPLATES: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'relay://agents/{name}',
    name: 'Agent',
    description: 'An agent, online or offline, with its tools',
    mimeType: JSON_TYPE,
    match: (uri) => {
      const value = /^relay:\/\/agents\/([^/]+)$/.exec(uri)?.[1];
      return value === undefined ? undefined : decoded(value);
    },
    read: async (participant, name, uri) => {
      const relay = await participant.relay();
      const agents = await relay.who({ includeOffline: true });
      const is = (other = '') => nameKey(other) === nameKey(plainAgentName(name));
      const found = agents.find((agent) => is(agent.name)) ?? agents.find((agent) => is(agent.handle));
      if (found) return jsonContents(uri, { ...found, tools: await relay.tools(found.name) });
      const near = nearNames(
        name,
        agents.map((agent) => agent.name),
      );
      const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
      throw new ResourceNotFoundError(uri, safeLine(`No agent "${name}" is known.${hint}`));
    },
    values: knownAgents,
  },
];

/** Decodes a part of an address; returns it unchanged if that fails. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

function agentsByCapability(offers: AgentOffer[]): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, capabilities } of offers) {
    for (const capability of capabilities) found.set(capability, [...(found.get(capability) ?? []), name]);
  }
  return Object.fromEntries(found);
}

const descriptionsByAgent = (offers: AgentOffer[]): Record<string, Record<string, string>> =>
  Object.fromEntries(
    offers.flatMap(({ name, descriptions }) => (descriptions ? [[name, descriptions] as const] : [])),
  );
