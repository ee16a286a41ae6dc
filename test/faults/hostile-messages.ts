import fc from 'fast-check';
import { envelopeOf } from '../../packages/harness-driver/src/delivery/envelope.ts';
import { hostileBodies, isSafeEnvelope } from '../kit/hostile-bodies.ts';
import type { Fault } from './fault.ts';

const HEAD = 'Relay message from Alice [msg_1]: from a peer agent';

export const hostileMessages: Fault = {
  name: 'hostile-messages',
  what: 'message bodies that try to drive the terminal they are typed into, or to pass for somebody else',
  async run({ short, seed, say }) {
    const numRuns = short ? 2000 : 100_000;
    const message = { seq: 1, id: 'msg_1', from: 'Alice', to: 'Bob', ts: 0 } as const;
    fc.assert(
      fc.property(hostileBodies(), (content) => {
        const more = { kind: 'free', importance: 'normal', content, authority: 'peer' } as const;
        const envelope = envelopeOf({ ...message, ...more });
        return isSafeEnvelope(envelope) && envelope.startsWith(`${HEAD}\n| `);
      }),
      { numRuns, seed },
    );
    say(`${numRuns} bodies: no control byte, no forged sender, no line that is not marked`);
  },
};
