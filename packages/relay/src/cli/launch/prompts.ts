import { join } from 'node:path';
import { createOnce, ensureDirectory, readIfThere } from '@agent-relay/platform';
import { cannotWrite } from '../files/file-failure.ts';

/** The default kick-off prompt, until the user edits it. */
const KICKOFF = `# You are {role}

You work on this project with {others}, each in a separate session. The MCP server \`relay\` carries messages
between the sessions, so nobody has to copy them by hand.

- \`read_messages(for="{role}")\` takes your waiting messages, oldest first. Each is returned once. Call it before
  you start a task and after you finish one, and act on what you get.
- \`list_pending(for="{role}")\` counts waiting messages without taking them. It is cheap; call it often.
- \`post_message(from="{role}", to, kind, body)\` writes to {others}. Call it after you write any status, question or directive, with
  its kind and its text as the body.

Start the body with the heading of its kind:

| kind | use it for | heading |
|---|---|---|
| \`status\` | what you finished, and how to check it | \`## STATUS UPDATE — {ROLE}\` |
| \`question\` | what you need to know to continue | \`## QUESTION TO <RECIPIENT> — {ROLE}\` |
| \`directive\` | what another role should do next | \`## DIRECTIVE TO <RECIPIENT>\` |
| \`free\` | anything else | none |

If you do not have these tools, say so, and ask your user to pass messages on by hand.
`;

/** The kick-off prompt of each role, by role. */
export type Prompts = ReadonlyMap<string, string>;

/** Where the user's templates are: `kickoff.md` for all roles, `<role>.md` for one. */
export const templateDirectory = (configDirectory: string): string => join(configDirectory, 'launch');

/** Fills in the templates of the user. The common one is written the first time, to be edited. */
export async function readPrompts(configDirectory: string, roles: readonly string[]): Promise<Prompts> {
  const directory = templateDirectory(configDirectory);
  const common = (await readIfThere(join(directory, 'kickoff.md'))) ?? (await writeCommon(directory));
  const prompts = roles.map(async (role) => {
    const own = await readIfThere(join(directory, `${role}.md`));
    return [role, fillIn(own ?? common, role, roles)] as const;
  });
  return new Map(await Promise.all(prompts));
}

async function writeCommon(directory: string): Promise<string> {
  const file = join(directory, 'kickoff.md');
  try {
    await ensureDirectory(directory);
    return await createOnce(file, KICKOFF);
  } catch (error) {
    throw cannotWrite(file, error, 'Set RELAY_CONFIG to a directory that you can write to.');
  }
}

function fillIn(template: string, role: string, roles: readonly string[]): string {
  const others = roles.filter((other) => other !== role);
  const words: Record<string, string> = {
    role,
    ROLE: role.toUpperCase(),
    roles: roles.join(', '),
    others: others.join(', ') || 'nobody else yet',
  };
  return template.replace(/\{(\w+)\}/g, (placeholder, word: string) => words[word] ?? placeholder);
}
