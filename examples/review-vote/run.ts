// Three reviewers vote on a proposal. Start a daemon first: agent-relay daemon start (see README.md)
import { coordinate } from './coordinator.ts';
import { reviewByTool } from './mcp-reviewer.ts';
import { review } from './reviewer.ts';

const PROPOSAL = 'use-postgres';

const { relay, decided } = await coordinate(PROPOSAL, 3);
const said = await Promise.all([
  review('Ann', PROPOSAL, 'approve'),
  review('Ben', PROPOSAL, 'approve'),
  reviewByTool('Cleo', PROPOSAL, 'request_changes'),
]);
for (const line of said) console.log(line);
const { approve, request_changes, abstain } = await decided;
console.log(`${PROPOSAL}: ${approve} approve, ${request_changes} request changes, ${abstain} abstain`);
console.log(await review('Ann', PROPOSAL, 'abstain'));
await relay.close();
