// An agent in a process of its own; its name is the first argument. It says on stdout when its tools can be called.
import { connect } from '@agent-relay/sdk/node';

const relay = await connect({ name: process.argv[2] ?? '' });
await relay.exposeTool({
  name: 'echo',
  description: 'Echoes',
  input: {},
  handler: ({ input }) => input,
});
await relay.exposeTool({
  name: 'hang',
  description: 'Says that it has begun, and never ends',
  input: {},
  handler: ({ progress }) => {
    progress(0);
    return new Promise(() => undefined);
  },
});
process.stdout.write('ready\n');
