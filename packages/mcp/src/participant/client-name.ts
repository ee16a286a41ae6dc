import { agentNameOf } from '@agent-relay/protocol';
import { isRelayError, type ParticipantOptions, type Relay } from '@agent-relay/sdk';
import type { Connect } from './identity.ts';

/** Programs whose MCP client name differs from their usual name. */
const KNOWN: ReadonlyArray<[pattern: RegExp, cli: string]> = [
  [/^claude-code\b/, 'claude'],
  [/^claude-ai\b/, 'claude-desktop'],
  [/^codex\b/, 'codex'],
  [/^gemini-cli\b/, 'gemini'],
  [/^opencode\b/, 'opencode'],
  [/^cursor\b/, 'cursor'],
  [/^visual studio code\b/, 'vscode'],
];

/** What `gemini mcp list` calls itself: it only checks that the server answers, and needs no inbox. */
const PROBE = 'mcp-test-client';

/** The command line tool behind an MCP client, by the name it gives itself; none for one that nobody will write to. */
export function cliOf(clientName: string): string | undefined {
  const name = clientName.trim().toLowerCase();
  if (name === PROBE) return undefined;
  const known = KNOWN.find(([pattern]) => pattern.test(name));
  return known?.[1] ?? (name === '' ? undefined : name.slice(0, 64));
}

/** The maximum number of numbered names for concurrent sessions of one client. */
const MOST_NAMES = 32;

const NOT_FREE = ['NameInUse', 'NameTaken', 'LookAlikeName', 'ReservedName'] as const;

/**
 * Connects with the name the session had `before`, or the first free one of `claude`, `claude-2`, … Each is kept for
 * the client: its next session finds the same inbox again. When all are in use, the session is `passing`.
 */
export async function connectNamedAfter(
  client: string,
  connect: Connect,
  profile: ParticipantOptions,
  { passing, before }: { passing: ParticipantOptions; before?: string | undefined },
): Promise<{ relay: Relay; present: ParticipantOptions }> {
  const base = agentNameOf(client, 'agent').slice(0, 60);
  const numbered = Array.from({ length: MOST_NAMES - 1 }, (_, index) => `${base}-${index + 2}`);
  for (const name of [...(before === undefined ? [] : [before]), base, ...numbered]) {
    const present = { ...profile, name };
    try {
      return { relay: await connect(present), present };
    } catch (error) {
      if (!isRelayError(error) || !NOT_FREE.some((code) => code === error.code)) throw error;
    }
  }
  return { relay: await connect(passing), present: passing };
}
