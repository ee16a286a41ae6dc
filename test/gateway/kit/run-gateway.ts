/** Runs a gateway as its own process. Run as: node run-gateway.ts '<json of RunOptions>'. */
import { type RunOptions, runGateway } from '@agent-relay/gateway/run';

await runGateway(JSON.parse(process.argv[2] ?? '{}') as RunOptions);
