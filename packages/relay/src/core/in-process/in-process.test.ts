import { busContract } from '../../../../../test/ports/bus-contract.ts';
import { directoryContract } from '../../../../../test/ports/directory-contract.ts';
import { InProcessBus } from './bus.ts';
import { InProcessDirectory } from './directory.ts';

busContract('in one process', async (count) => {
  const bus = new InProcessBus();
  return Array.from({ length: count }, () => bus.join());
});

directoryContract('in one process', async (count, clock, goneAfterMs) => {
  const directory = new InProcessDirectory(clock, goneAfterMs);
  return Array.from({ length: count }, () => directory.join());
});
