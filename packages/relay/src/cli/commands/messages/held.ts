import { safeLine, safeText, senderOf } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { plural, print, printJson, styled, when } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

type Options = ProjectOption & JsonOption;

const withIds = (command: Command): Command =>
  withJson(withProject(command)).argument('<message...>', 'message ids, from: agent-relay held list');

export const command = new Command('held')
  .description('Review messages held by the loop governor')
  .addCommand(
    withJson(withProject(new Command('list')))
      .description('List held messages and why they are held')
      .action(listHeld),
  )
  .addCommand(
    withIds(new Command('release'))
      .description('Deliver held messages and resume the conversation')
      .action(async (ids: string[], options: Options) => {
        const released = await asOwner(options, (relay) => relay.held.release(ids));
        if (options.json) return printJson({ released });
        print(`Delivered ${plural(released, 'message')}.`);
      }),
  )
  .addCommand(
    withIds(new Command('discard'))
      .description('Discard held messages; nobody will get them')
      .action(async (ids: string[], options: Options) => {
        const discarded = await asOwner(options, (relay) => relay.held.discard(ids));
        if (options.json) return printJson({ discarded });
        print(`Discarded ${plural(discarded, 'message')}.`);
      }),
  );

async function listHeld(options: Options): Promise<void> {
  const held = await asOwner(options, (relay) => relay.held.list());
  if (options.json) return printJson(held);
  if (held.length === 0) return print('No held messages.');
  for (const message of held) {
    const { id, to, content, reason, heldAt } = message;
    const ids = styled('dim', safeLine(`${when(heldAt)} · ${id}`));
    const head = `${styled('bold', safeLine(senderOf(message)))} → ${safeLine(to)}  ${ids}`;
    print([head, `  ${styled('yellow', reason)}`, safeText(content).replace(/^/gm, '  ')].join('\n'));
  }
}
