// What the scripted model does is written in the prompt it gets, one step a line: use <tool> <JSON object>
// What it says is written there too: say <JSON string>, before a step, or at the end in place of the last result.

/** One item of a conversation, in the order the model sees it. */
export interface Turn {
  kind: 'user' | 'model' | 'call' | 'result';
  text: string;
}

/** A tool of the model; some APIs group tools in namespaces. */
export interface OfferedTool {
  name: string;
  namespace?: string;
}

export type Answer =
  | { say: string; call?: undefined }
  | { say?: string; call: OfferedTool; input: Record<string, unknown> };

interface Step {
  /** Without a tool, the end of what it does. */
  tool?: string;
  input: Record<string, unknown>;
  say?: string;
}

/** Some clients put a blank after what was pasted. */
const STEP = /^(?:use (\S+) (\{.*\})|say (".*")) ?$/gm;

function stepsIn(text: string): Step[] {
  const steps: Step[] = [];
  let said: string | undefined;
  for (const [, tool, input = '{}', words] of text.matchAll(STEP)) {
    if (words !== undefined) said = JSON.parse(words);
    if (tool === undefined) continue;
    steps.push({ tool, input: JSON.parse(input), ...(said !== undefined && { say: said }) });
    said = undefined;
  }
  return said === undefined ? steps : [...steps, { input: {}, say: said }];
}

/** The next step of the newest prompt that has steps; when all are done, what the last one returned. */
export function nextAnswer(turns: readonly Turn[], tools: readonly OfferedTool[]): Answer {
  const start = turns.findLastIndex(({ kind, text }) => kind === 'user' && stepsIn(text).length > 0);
  // Clients also ask for titles and summaries, without offering tools.
  if (start === -1 || tools.length === 0) return { say: 'Nothing to do.' };
  const since = turns.slice(start);
  const results = since.filter(({ kind }) => kind === 'result');
  const step = stepsIn(turns[start]?.text ?? '')[results.length];
  if (step?.tool === undefined) {
    const words = step?.say ?? `Finished: ${results.at(-1)?.text}`;
    const isSaid = since.some(({ kind, text }) => kind === 'model' && text.trim() === words.trim());
    return { say: isSaid ? 'Nothing to do.' : words };
  }
  const { tool, input, say } = step;
  const call = tools.find(({ name }) => isNamed(name, tool));
  return call ? { call, input, ...(say !== undefined && { say }) } : { say: `There is no tool ${tool}.` };
}

/** Clients put the name of the server before the name of the tool, and some have no dots in it. */
function isNamed(offered: string, wanted: string): boolean {
  const [name, end] = [offered, wanted].map((one) => one.replaceAll('.', '_')) as [string, string];
  return name === end || name.endsWith(`_${end}`);
}
