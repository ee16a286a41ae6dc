import { type ChannelInfo, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withAgent,
  withJson,
  withProject,
  withViewer,
} from '../../options.ts';
import { tableOrBlocks } from '../../output/blocks.ts';
import { print, printJson, styled } from '../../output/terminal.ts';
import { asAgent, asViewer } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption;

/** A command on one channel, run as an agent. */
const onChannel = (name: string): Command =>
  withJson(withAgent(withProject(new Command(name)))).argument(
    '<channel>',
    'channel name, with or without #',
  );

/** Reports success: JSON for programs, a sentence for people. */
const tell = ({ json }: JsonOption, result: object, sentence: string): void =>
  json ? printJson(result) : print(sentence);

export const command = new Command('channel')
  .description('Create, join and manage channels')
  .addCommand(
    onChannel('create')
      .description('Create a channel and join it')
      .option('--topic <text>', 'topic of the channel')
      .action(async (name: string, options: Options & { topic?: string }) => {
        const topic = options.topic === undefined ? {} : { topic: options.topic };
        const channel = await asAgent(options, (relay) => relay.channels.create(name, topic));
        tell(options, channel, `Created ${channel.name}.`);
      }),
  )
  .addCommand(
    onChannel('join')
      .description('Join a channel; new messages go to your inbox')
      .option('--create', 'create it if it does not exist')
      .action(async (name: string, options: Options & { create?: boolean }) => {
        const create = options.create ?? false;
        const result = await asAgent(options, (relay) => relay.channels.join(name, { create }));
        const { channel, joined } = result;
        tell(options, result, joined ? `Joined ${channel.name}.` : `You are already in ${channel.name}.`);
      }),
  )
  .addCommand(
    onChannel('leave')
      .description('Leave a channel')
      .action(async (name: string, options: Options) => {
        const left = await asAgent(options, (relay) => relay.channels.leave(name));
        tell(options, { left }, left ? `Left ${shown(name)}.` : `You were not in ${shown(name)}.`);
      }),
  )
  .addCommand(
    withJson(withViewer(withProject(new Command('list'))))
      .description('List channels')
      .option('--archived', 'include archived channels')
      .action(listChannels),
  )
  .addCommand(
    withJson(withViewer(withProject(new Command('members'))))
      .description('List the members of a channel')
      .argument('<channel>', 'channel name, with or without #')
      .action(async (name: string, options: Options) => {
        const members = await asViewer(options, (relay) => relay.channels.members(name));
        if (options.json) return printJson(members);
        print(members.length === 0 ? `${shown(name)} has no members.` : members.map(safeLine).join('\n'));
      }),
  )
  .addCommand(
    onChannel('invite')
      .description('Add another agent to a channel')
      .argument('<agent>', 'agent name')
      .action(async (name: string, agent: string, options: Options) => {
        const added = await asAgent(options, (relay) => relay.channels.invite(name, agent));
        const sentence = added
          ? `Added ${agent} to ${shown(name)}.`
          : `${agent} is already in ${shown(name)}.`;
        tell(options, { added }, sentence);
      }),
  )
  .addCommand(
    onChannel('topic')
      .description('Set the topic of a channel')
      .argument('<text...>', 'the topic')
      .action(async (name: string, words: string[], options: Options) => {
        const topic = words.join(' ');
        await asAgent(options, (relay) => relay.channels.topic(name, topic));
        tell(options, { topic }, `Set the topic of ${shown(name)}.`);
      }),
  )
  .addCommand(
    onChannel('archive')
      .description('Make a channel read-only')
      .option('--undo', 'reopen it')
      .action(async (name: string, options: Options & { undo?: boolean }) => {
        const archived = options.undo !== true;
        await asAgent(options, (relay) => relay.channels.archive(name, { archived }));
        tell(options, { archived }, `${archived ? 'Archived' : 'Reopened'} ${shown(name)}.`);
      }),
  );

async function listChannels(options: Options & { archived?: boolean }): Promise<void> {
  const includeArchived = options.archived ?? false;
  const channels = await asViewer(options, (relay) => relay.channels.list({ includeArchived }));
  if (options.json) return printJson(channels);
  print(tableOrBlocks(['NAME', 'MEMBERS', 'STATE', 'TOPIC'], channels.map(row)));
}

const row = ({ name, members, joined, archivedAt, topic = '' }: ChannelInfo): string[] => [
  safeLine(name),
  String(members),
  archivedAt === undefined ? (joined ? styled('green', 'joined') : 'open') : styled('dim', 'archived'),
  safeLine(topic),
];

const shown = (name: string): string => (name.startsWith('#') ? name : `#${name}`);
