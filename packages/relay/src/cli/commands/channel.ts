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
} from '../options.ts';
import { print, printJson, styled, table } from '../output/terminal.ts';
import { asAgent, asViewer } from '../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption;

/** A command about one channel, done as an agent. */
const onChannel = (name: string): Command =>
  withJson(withAgent(withProject(new Command(name)))).argument('<channel>', 'its name, with or without #');

/** Done: told to a program as JSON, to a person as a sentence. */
const tell = ({ json }: JsonOption, result: object, sentence: string): void =>
  json ? printJson(result) : print(sentence);

export const command = new Command('channel')
  .description('Talk in channels: make, join and manage them.')
  .addCommand(
    onChannel('create')
      .description('Create a channel and join it.')
      .option('--topic <text>', 'what it is about')
      .action(async (name: string, options: Options & { topic?: string }) => {
        const topic = options.topic === undefined ? {} : { topic: options.topic };
        const channel = await asAgent(options, (relay) => relay.channels.create(name, topic));
        tell(options, channel, `Channel ${channel.name} is created.`);
      }),
  )
  .addCommand(
    onChannel('join')
      .description('Join a channel: what is posted from now on comes into your inbox.')
      .option('--create', 'create it if there is none')
      .action(async (name: string, options: Options & { create?: boolean }) => {
        const create = options.create ?? false;
        const result = await asAgent(options, (relay) => relay.channels.join(name, { create }));
        const { channel, joined } = result;
        tell(options, result, joined ? `Joined ${channel.name}.` : `You are in ${channel.name} already.`);
      }),
  )
  .addCommand(
    onChannel('leave')
      .description('Leave a channel.')
      .action(async (name: string, options: Options) => {
        const left = await asAgent(options, (relay) => relay.channels.leave(name));
        tell(options, { left }, left ? `Left ${shown(name)}.` : `You were not in ${shown(name)}.`);
      }),
  )
  .addCommand(
    withJson(withViewer(withProject(new Command('list'))))
      .description('List the channels.')
      .option('--archived', 'also those that are archived')
      .action(listChannels),
  )
  .addCommand(
    withJson(withViewer(withProject(new Command('members'))))
      .description('List who is in a channel.')
      .argument('<channel>', 'its name, with or without #')
      .action(async (name: string, options: Options) => {
        const members = await asViewer(options, (relay) => relay.channels.members(name));
        if (options.json) return printJson(members);
        print(members.length === 0 ? `Nobody is in ${shown(name)}.` : members.map(safeLine).join('\n'));
      }),
  )
  .addCommand(
    onChannel('invite')
      .description('Bring another agent into a channel.')
      .argument('<agent>', 'its name')
      .action(async (name: string, agent: string, options: Options) => {
        const added = await asAgent(options, (relay) => relay.channels.invite(name, agent));
        const sentence = added ? `${agent} is in ${shown(name)} now.` : `${agent} was in ${shown(name)}.`;
        tell(options, { added }, sentence);
      }),
  )
  .addCommand(
    onChannel('topic')
      .description('Say what a channel is about.')
      .argument('<text...>', 'the topic')
      .action(async (name: string, words: string[], options: Options) => {
        const topic = words.join(' ');
        await asAgent(options, (relay) => relay.channels.topic(name, topic));
        tell(options, { topic }, `The topic of ${shown(name)} is set.`);
      }),
  )
  .addCommand(
    onChannel('archive')
      .description('Make a channel read only.')
      .option('--undo', 'open it again')
      .action(async (name: string, options: Options & { undo?: boolean }) => {
        const archived = options.undo !== true;
        await asAgent(options, (relay) => relay.channels.archive(name, { archived }));
        tell(options, { archived }, `${shown(name)} is ${archived ? 'archived' : 'open again'}.`);
      }),
  );

async function listChannels(options: Options & { archived?: boolean }): Promise<void> {
  const includeArchived = options.archived ?? false;
  const channels = await asViewer(options, (relay) => relay.channels.list({ includeArchived }));
  if (options.json) return printJson(channels);
  const header = ['NAME', 'MEMBERS', 'STATE', 'TOPIC'].map((title) => styled('dim', title));
  print(table([header, ...channels.map(row)]));
}

const row = ({ name, members, joined, archivedAt, topic = '' }: ChannelInfo): string[] => [
  safeLine(name),
  String(members),
  archivedAt === undefined ? (joined ? styled('green', 'joined') : 'open') : styled('dim', 'archived'),
  safeLine(topic),
];

const shown = (name: string): string => (name.startsWith('#') ? name : `#${name}`);
