// Started by observers.ts: follows a project as so many open dashboards do, and reads each event.
import { connect } from '@agent-relay/sdk/node';

const [socketPath = '', project = '', pages = '10'] = process.argv.slice(2);
const HEARD = [
  'delivery.accepted',
  'delivery.injected',
  'delivery.read',
  'agent.online',
  'path.changed',
] as const;

let heard = 0;
for (let page = 0; page < Number(pages); page++) {
  const relay = await connect({ socketPath, project, env: {} });
  for (const event of HEARD) relay.on(event, () => heard++);
  await relay.watch();
  void (async () => {
    for await (const _ of relay.tail()) heard++;
  })();
}
process.send?.('ready');
process.on('disconnect', () => process.exit());
