import { type SearchHit, safeText } from '@agent-relay/protocol';
import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  pastTime,
  wholeNumber,
  withJson,
  withProject,
  withViewer,
} from '../../options.ts';
import { messageLinesWith } from '../../output/message-lines.ts';
import { print, printJson, styled } from '../../output/terminal.ts';
import { asViewer } from '../../target/connect.ts';

interface Filter {
  channel?: string;
  from?: string;
  since?: number;
  until?: number;
  limit: number;
}

export const command = withJson(withViewer(withProject(new Command('search'))))
  .description('Find messages that contain all the words, newest first')
  .argument('<query...>', 'words; "quote a phrase" to keep it together')
  .option('--channel <name>', 'only messages in this channel')
  .option('--from <name>', 'only messages from this sender')
  .option('--since <time>', 'only messages since then: 2h, 3d or a date', pastTime)
  .option('--until <time>', 'only messages up to then', pastTime)
  .option('--limit <count>', 'maximum number of messages', wholeNumber(1), 20)
  .action(async (words: string[], options: Filter & ProjectOption & AgentOption & JsonOption) => {
    const { as: _as, project: _project, json, ...filter } = options;
    const hits = await asViewer(options, (relay) => relay.search(words.join(' '), filter));
    if (json) return printJson(hits);
    print(hits.length === 0 ? 'No messages found.' : hits.map(hitLines).join('\n'));
  });

const hitLines = ({ message, highlight }: SearchHit): string => messageLinesWith(message, lit(highlight));

/** Matches are between two private-use characters, which shown text cannot contain. */
const lit = (highlight: string): string =>
  highlight
    .split(/\u{E000}([^\u{E001}]*)\u{E001}/u)
    .map((part, index) => (index % 2 === 0 ? safeText(part) : styled(['bold', 'yellow'], safeText(part))))
    .join('');
