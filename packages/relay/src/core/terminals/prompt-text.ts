import { createHash } from 'node:crypto';
import { PROMPT_TEXT_LIMIT, type PromptAsk, quotedName, remark, wholeText } from '@agent-relay/protocol';

/** A permission prompt as people are shown it; undefined if it is too long to be shown whole. */
export function promptText(ask: PromptAsk | undefined): string | undefined {
  if (!ask) return undefined;
  const said = ask.description ? [remark('Described by the agent as', ask.description)] : [];
  const text = [...asked(ask), ...said].join('\n');
  return text.length <= PROMPT_TEXT_LIMIT ? text : undefined;
}

/** Names exactly this text in this prompt of this run. */
export const promptDigest = (run: string, key: string, text: string): string =>
  createHash('sha256')
    .update(JSON.stringify([run, key, text]))
    .digest('hex');

function asked(ask: PromptAsk): string[] {
  switch (ask.kind) {
    case 'command':
      return [wholeText('Run this command', ask.command)];
    case 'tool':
      return [wholeText(`Use the tool ${quotedName(ask.tool)} with this input`, ask.input)];
    case 'files':
      return ask.changes.map(({ path, how, to, content }, at) => {
        const place = ask.changes.length === 1 ? '' : ` ${at + 1} of ${ask.changes.length},`;
        const move = to === undefined ? '' : `, move it to ${quotedName(to)}`;
        return wholeText(`${VERBS[how]} the file${place} ${quotedName(path)}${move}`, content);
      });
  }
}

const VERBS = { add: 'Add', change: 'Change', delete: 'Delete' } as const;
