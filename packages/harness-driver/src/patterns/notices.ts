import { type AgentOffer, quotedText, type RelayError, safeLine } from '@agent-relay/protocol';
import type { Command } from './command.ts';

/** How much of a result a notice has; a terminal shows less. */
const MOST_CHARACTERS = 32_000;

/** The result of a tool. No line begins with its text, so that none can pass for the relay's or for a command. */
export const resultNotice = (target: string, value: unknown): string =>
  cut(`MCP result from ${safeLine(target)}: ${quotedText(textOf(value))}`);

export const callErrorNotice = (target: string, error: RelayError): string =>
  cut(`MCP error from ${safeLine(target)}: ${wordsOf(error)}`);

export const errorNotice = (line: string, error: RelayError): string =>
  cut(`Relay error in ${safeLine(line)}: ${wordsOf(error)}`);

export const mistakeNotice = ({ line, problem, next }: Extract<Command, { kind: 'mistake' }>): string =>
  `Relay error in ${safeLine(line)}: ${safeLine(problem)} Use: ${safeLine(next)}`;

export function discoveryNotice(
  { capability, tool }: { capability?: string; tool?: string },
  offers: readonly AgentOffer[],
): string {
  const wanted = [
    ...(capability === undefined ? [] : [`capability "${safeLine(capability)}"`]),
    ...(tool === undefined ? [] : [`tool "${safeLine(tool)}"`]),
  ].join(' or ');
  const title = wanted === '' ? 'Agents that offer something' : `Agents with ${wanted}`;
  const found = offers.map(({ name, tools, capabilities }) => {
    const offered = tools.length > 0 ? tools : capabilities;
    return `- ${[name, offered.join(', ')]
      .filter((part) => part !== '')
      .map(safeLine)
      .join(': ')}`;
  });
  return cut(['Relay discovery result:', `${title}:`, ...(found.length > 0 ? found : ['(none)'])].join('\n'));
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const wordsOf = ({ message, next }: RelayError): string =>
  safeLine([message, next].filter(Boolean).join(' '));

const cut = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS)}\n(${text.length - MOST_CHARACTERS} more characters)`;
