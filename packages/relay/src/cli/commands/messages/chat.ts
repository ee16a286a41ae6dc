import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { Chat } from '../../chat/chat.ts';
import { type ChatNames, completeLine } from '../../chat/completer.ts';
import { Screen } from '../../chat/screen.ts';
import { type AgentOption, type ProjectOption, wholeNumber, withAgent, withProject } from '../../options.ts';
import { untilInterrupted } from '../../process/until-interrupted.ts';
import { asAgent } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & { limit: number };

export const command = withAgent(withProject(new Command('chat')))
  .description('Chat in a channel or with an agent until Ctrl-C')
  .argument('[where]', '#channel or agent name', '#general')
  .option('--limit <count>', 'number of earlier messages to show', wholeNumber(1), 20)
  .action((where: string, options: Options) =>
    untilInterrupted((signal) =>
      asAgent(
        options,
        async (relay) => {
          const screen = new Screen(process.stdin, process.stdout, (line) =>
            completeLine(line, namesOf(relay)),
          );
          signal.addEventListener('abort', () => screen.close());
          try {
            const chat = new Chat(relay, screen, options.limit);
            await chat.enter(where);
            const following = chat.follow();
            await Promise.race([screen.read((line) => chat.write(line)), following]);
            await relay.close();
            await following;
          } finally {
            screen.close();
          }
        },
        { notify: true },
      ),
    ),
  );

const namesOf = (relay: Relay): ChatNames => ({
  agents: async () => (await relay.who({ includeOffline: true })).map(({ name }) => name),
  channels: async () => (await relay.channels.list()).map(({ name }) => name),
});
