import { nearNames, RelayError } from '@agent-relay/protocol';
import { CLIENTS, type Client } from './clients.ts';

const AUTO = 'auto';

/** The clients a user chose, each once: `claude`, `claude,codex`, several of these, or `auto` for the installed ones. */
export function chooseClients(
  editor: string | readonly string[] | undefined,
  found: () => readonly Client[],
): Client[] {
  const named = [editor ?? AUTO]
    .flat()
    .flatMap((list) => list.split(','))
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const chosen = named.flatMap((id) => (id === AUTO ? found() : [clientOf(id)]));
  return [...new Set(chosen)];
}

function clientOf(id: string): Client {
  const client = CLIENTS.find((known) => known.id === id);
  if (client) return client;
  const choices = [...CLIENTS.map((known) => known.id), AUTO];
  const near = nearNames(id, choices, 1);
  const hint = near.length === 0 ? '' : ` Did you mean ${near[0]}?`;
  throw new RelayError('InvalidRequest', `There is no client "${id}".${hint}`, {
    next: `Choose from: ${choices.join(', ')}`,
    details: { field: 'editor', choices },
  });
}
