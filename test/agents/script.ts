// What the scripted model does is written in the prompt it gets, one step a line: use <tool> <JSON object>

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

export type Answer = { say: string } | { call: OfferedTool; input: Record<string, unknown> };

interface Step {
  tool: string;
  input: Record<string, unknown>;
}

const STEP = /^use (\S+) (\{.*\})$/gm;

const stepsIn = (text: string): Step[] =>
  [...text.matchAll(STEP)].map(([, tool = '', input = '{}']) => ({ tool, input: JSON.parse(input) }));

/** The next step of the newest prompt that has steps; when all are done, what the last one returned. */
export function nextAnswer(turns: readonly Turn[], tools: readonly OfferedTool[]): Answer {
  const start = turns.findLastIndex(({ kind, text }) => kind === 'user' && stepsIn(text).length > 0);
  // Clients also ask for titles and summaries, without offering tools.
  if (start === -1 || tools.length === 0) return { say: 'Nothing to do.' };
  const results = turns.slice(start).filter(({ kind }) => kind === 'result');
  const step = stepsIn(turns[start]?.text ?? '')[results.length];
  if (!step) return { say: `Finished: ${results.at(-1)?.text}` };
  const call = tools.find(({ name }) => isNamed(name, step.tool));
  return call ? { call, input: step.input } : { say: `There is no tool ${step.tool}.` };
}

/** Clients put the name of the server before the name of the tool, and some have no dots in it. */
function isNamed(offered: string, wanted: string): boolean {
  const [name, end] = [offered, wanted].map((one) => one.replaceAll('.', '_')) as [string, string];
  return name === end || name.endsWith(`_${end}`);
}
