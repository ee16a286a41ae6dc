import { busContract } from './bus-contract.ts';
import { directoryContract } from './directory-contract.ts';
import { DistantBus, DistantDirectory } from './distant.ts';

busContract('of processes apart', async (count) => {
  const bus = new DistantBus();
  return Array.from({ length: count }, () => bus.join());
});

directoryContract('of processes apart', async (count, clock, goneAfterMs) => {
  const directory = new DistantDirectory(clock, goneAfterMs);
  return Array.from({ length: count }, () => directory.join());
});
