import { Command } from 'commander';
import { Chat } from '../chat/chat.ts';
import { Screen } from '../chat/screen.ts';
import { type AgentOption, type ProjectOption, wholeNumber, withAgent, withProject } from '../options.ts';
import { untilInterrupted } from '../process/until-interrupted.ts';
import { asAgent } from '../target/connect.ts';

type Options = ProjectOption & AgentOption & { limit: number };

export const command = withAgent(withProject(new Command('chat')))
  .description('Follow a channel or an agent in this terminal and write to it, until Ctrl-C.')
  .argument('[where]', '#channel, or the name of an agent', '#general')
  .option('--limit <count>', 'how many earlier messages to show', wholeNumber(1), 20)
  .action((where: string, options: Options) =>
    untilInterrupted((signal) =>
      asAgent(options, async (relay) => {
        const screen = new Screen(process.stdin, process.stdout);
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
      }),
    ),
  );
