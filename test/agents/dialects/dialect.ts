import type { Answer, OfferedTool, Turn } from '../script.ts';

export interface ModelRequest {
  model: string;
  streamed: boolean;
  turns: Turn[];
  tools: OfferedTool[];
}

/** An answer in both formats a client may request. */
export interface Reply {
  json: unknown;
  /** Server-sent events; some APIs name each of them. */
  events: Array<{ name?: string; data: unknown }>;
}

/** The dialect of one model API. */
export interface Dialect {
  matches(path: string): boolean;
  read(body: unknown, path: string): ModelRequest;
  write(answer: Answer, request: ModelRequest): Reply;
}

/** A text as a model streams it: a few words at a time. */
export const pieces = (text: string): string[] => text.match(/[\s\S]{1,24}/g) ?? [];

let count = 0;
/** A new id, by which clients refer to things. */
export const newId = (prefix: string): string => `${prefix}_${++count}`;

/** The text in a content of any of the APIs: a text, a part with text, or a list of such. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (typeof content !== 'object' || content === null) return '';
  const { text, content: inner, output } = content as { text?: unknown; content?: unknown; output?: unknown };
  const found = text ?? inner ?? output;
  return found === undefined ? JSON.stringify(content) : textOf(found);
}

/** Clients send several texts in one message; each is a separate turn. */
export const textTurns = (kind: Turn['kind'], content: unknown): Turn[] =>
  (Array.isArray(content) ? content : [content]).map((part) => ({ kind, text: textOf(part) }));
