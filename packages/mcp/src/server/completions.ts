import type { Server } from '@modelcontextprotocol/server';
import type { Participant } from '../participant/participant.ts';
import type { ClientContext } from './client-context.ts';

/** The maximum number of completions. */
const MOST_VALUES = 100;

type Values = (participant: Participant) => Promise<string[]>;

/** Answers `completion/complete`. */
export function serveCompletions(server: Server, { offering, participant }: ClientContext): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values: Values | undefined =
      ref.type === 'ref/prompt'
        ? offering.prompts
            .find(({ name }) => name === ref.name)
            ?.arguments.find(({ name }) => name === argument.name)?.values
        : offering.templates.find(({ uriTemplate }) => uriTemplate === ref.uri)?.values;
    const all = values === undefined ? [] : await values(participant);
    const fitting = startingWith(all, argument.value);
    return {
      completion: {
        values: fitting.slice(0, MOST_VALUES),
        total: fitting.length,
        hasMore: fitting.length > MOST_VALUES,
      },
    };
  });
}

/** In a list, the last word is completed: `Alice, B` becomes `Alice, Bob`. */
function startingWith(values: string[], typed: string): string[] {
  const start = /^(?:.*,\s*)?/.exec(typed)?.[0] ?? '';
  const word = typed.slice(start.length).toLowerCase();
  return values.filter((value) => value.toLowerCase().startsWith(word)).map((value) => `${start}${value}`);
}
