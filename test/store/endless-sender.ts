import { openStore } from '../../packages/relay/src/store/open.ts';
import { newWorld } from './contract/world.ts';

/** A process for the tests to kill: sends in bursts forever, and prints the id of each message once it is stored. */
const [, , path = ''] = process.argv;
const store = await openStore(path, {
  onFatal: (error) => {
    throw error;
  },
});
const { agents, channel, draft } = await newWorld(store, 2);
const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
const conversation = await channel();
for (;;) {
  const burst = Array.from({ length: 10 }, () => store.appendMessage(draft(alice, conversation, [bob])));
  for (const { id } of await Promise.all(burst)) process.stdout.write(`${id}\n`);
}
