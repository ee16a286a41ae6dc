import { RecordingReceiver } from './participants.ts';

/** A consumer in its own process, so that it can be stopped. It reports what it got on request. */
const [socketPath = '', name = ''] = process.argv.slice(2);
const receiver = new RecordingReceiver(name);
let connections = 0;

async function stayConnected(): Promise<void> {
  for (;;) {
    await receiver.connect(socketPath);
    connections += 1;
    if (connections === 1) process.send?.('connected');
    await receiver.ended;
  }
}

export interface ConsumerReport {
  connections: number;
  contents: string[];
}

process.on('message', () => {
  const contents = receiver.received.map(({ content }) => content.slice(0, 64));
  process.send?.({ connections, contents } satisfies ConsumerReport);
});
process.on('disconnect', () => process.exit());
await stayConnected();
