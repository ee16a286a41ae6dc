import type { AddressedMessage } from '@agent-relay/protocol';
import { AUTHORITIES } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import { envelopeOf } from '../../packages/harness-driver/src/delivery/envelope.ts';
import { chooseToolsets } from '../../packages/mcp/src/framework/toolset.ts';
import { instructions } from '../../packages/mcp/src/prompts/instructions.ts';
import { relayProtocol } from '../../packages/mcp/src/prompts/relay-protocol.ts';
import { knownToolsets } from '../../packages/mcp/src/toolsets/index.ts';

const chosen = (...names: string[]) => chooseToolsets(names, knownToolsets([]));
function guide(...names: string[]): string {
  const toolsets = chosen(...names);
  const [{ wording }] = toolsets;
  const request = { toolsets, wording, mcp: {} as never };
  const { messages } = relayProtocol.get({}, request) as { messages: Array<{ content: { text: string } }> };
  return messages.map(({ content }) => content.text).join();
}
const MESSAGE: AddressedMessage = {
  ...{ seq: 1, id: 'msg_1m7n494ra4ems7c', from: 'Alice', to: 'Bob', ts: 0, authority: 'peer' },
  ...{ kind: 'question', importance: 'normal', thread: 'login' },
  content: 'Which tests fail?\nOnly those of the parser matter.',
};
const POST: AddressedMessage = {
  ...{ seq: 2, id: 'msg_1m7n4a2c9wdx3yf', from: 'Ann', to: '#backend', channel: '#backend', ts: 0 },
  ...{ kind: 'free', importance: 'normal', authority: 'person', content: 'The release is on Monday.' },
};

describe('what a model reads about messages', () => {
  it.each([MESSAGE, POST])('matches the form of typed messages: $from', (message) => {
    const shown = envelopeOf(message).replace(/^/gm, '    ');
    expect(guide('relay')).toContain(`\n${shown}\n`);
  });

  it('explains every kind of sender in the first line', () => {
    const [, section = ''] = guide('relay').split('## Who speaks\n');
    const [table = ''] = section.split('\n\n');
    for (const words of Object.values(AUTHORITIES)) expect(table).toContain(words);
  });

  it('gives people their authority, and calls nobody else the user', () => {
    const text = instructions(chosen('relay'), { name: 'Bob' });
    expect(text).toContain(`a message "${AUTHORITIES.person}" has that person's authority`);
    expect(text).toContain(`"${AUTHORITIES.parent}" comes from the agent that gave you your task`);
    expect(text).not.toContain('not as instructions');
    expect(guide('relay')).not.toContain('not an instruction');
  });

  it('mentions ACK, progress, DONE, and the result for a worker', () => {
    for (const text of [instructions(chosen('relay', 'worker'), { name: 'Bob' }), guide('relay', 'worker')]) {
      expect(text).toMatch(/ACK[\s\S]*progress[\s\S]*DONE/);
      expect(text).toContain('submit_result');
    }
    expect(instructions(chosen('relay'), { name: 'Bob' })).not.toContain('submit_result');
    expect(guide('relay')).not.toContain('submit_result(');
    expect(guide('workspace')).toContain('submit_result(');
  });
});
