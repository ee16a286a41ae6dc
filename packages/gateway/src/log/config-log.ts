import { fingerprintOf } from '../backend/backend-set.ts';
import type { ConfiguredBackend } from '../config/load.ts';
import type { ServerStatus } from '../front/tools/status.ts';
import { counted } from './counted.ts';

type Backends = readonly ConfiguredBackend[];

/** Which backends a new configuration adds, removes and changes; undefined if it is the same. */
export function describeChange(before: Backends, after: Backends): string | undefined {
  const old = new Map(before.map((entry) => [entry.config.name, fingerprintOf(entry)]));
  const now = new Map(after.map((entry) => [entry.config.name, fingerprintOf(entry)]));
  const changes = {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now]
      .filter(([name, print]) => old.has(name) && old.get(name) !== print)
      .map(([name]) => name),
  };
  const told = Object.entries(changes).filter(([, names]) => names.length > 0);
  if (told.length === 0) return undefined;
  return told.map(([change, names]) => `${change} ${names.join(', ')}`).join('; ');
}

export const describeLoaded = (backends: Backends): string => {
  const names = backends.map(({ config }) => config.name).join(', ');
  return `Loaded ${counted(backends.length, 'backend')}${names && `: ${names}`}`;
};

/** Where the shared backends are once the first lists are answered, and which ones come later. */
export function describeReady(backends: Backends, servers: ServerStatus[]): string {
  const ofClients = namesOf(backends.filter(({ config }) => config.scope === 'session'));
  const shared = servers.filter(({ name }) => !ofClients.includes(name));
  const connected = shared.filter((server) => server.connected);
  const tools = shared.reduce((sum, server) => sum + server.tools, 0);
  const lazy = namesOf(backends.filter(({ config }) => config.lazy));
  const waiting = shared.filter(({ health, name }) => health === 'unknown' && lazy.includes(name));
  return [
    `Connected to ${connected.length}/${shared.length} backends, ${counted(tools, 'tool')}`,
    ...told('still connecting', namesIn(shared.filter(({ health }) => health === 'connecting'))),
    ...told('connecting at the first call', namesIn(waiting)),
    ...told('connecting for each client', ofClients),
  ]
    .join('; ')
    .concat('. Ready.');
}

const told = (what: string, names: string[]): string[] =>
  names.length === 0 ? [] : [`${what}: ${names.join(', ')}`];
const namesOf = (backends: Backends): string[] => backends.map(({ config }) => config.name);
const namesIn = (servers: ServerStatus[]): string[] => servers.map(({ name }) => name);
