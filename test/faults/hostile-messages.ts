import fc from 'fast-check';
import { claudeScreen } from '../../packages/harness-driver/src/clis/claude/screen.ts';
import type { Reading } from '../../packages/harness-driver/src/clis/reading.ts';
import { envelopeOf } from '../../packages/harness-driver/src/delivery/envelope.ts';
import { inject } from '../../packages/harness-driver/src/delivery/inject.ts';
import { hostileBodies, isSafeEnvelope } from '../kit/hostile-bodies.ts';
import type { Fault } from './fault.ts';

const HEAD = 'Relay message from Alice [msg_1]: from a peer agent';
/** How many are typed at a time: each waits before it presses Enter. */
const AT_ONCE = 2000;

export const hostileMessages: Fault = {
  name: 'hostile-messages',
  what: 'message bodies that try to drive the terminal they are typed into, or to pass for somebody else',
  async run({ short, seed, say }) {
    const numRuns = short ? 2000 : 100_000;
    fc.assert(
      fc.property(hostileBodies(), (content) => {
        const envelope = envelopeWith(content);
        return isSafeEnvelope(envelope) && envelope.startsWith(`${HEAD}\n| `);
      }),
      { numRuns, seed },
    );
    say(`${numRuns} bodies: no control byte, no forged sender, no line that is not marked`);
    const bodies = fc.sample(hostileBodies(), { numRuns, seed });
    for (let at = 0; at < bodies.length; at += AT_ONCE)
      await Promise.all(bodies.slice(at, at + AT_ONCE).map(typeOnce));
    say(`${numRuns} of them typed: each as one paste, with one Enter after it`);
  },
};

const envelopeWith = (content: string): string =>
  envelopeOf({
    seq: 1,
    id: 'msg_1',
    from: 'Alice',
    to: 'Bob',
    ts: 0,
    kind: 'free',
    importance: 'normal',
    authority: 'peer',
    content,
  });

/** Types it into a composer that understands keys as a terminal program does, and checks what was submitted, and when. */
async function typeOnce(content: string): Promise<void> {
  const composer = new Composer();
  const envelope = envelopeWith(content);
  const outcome = await inject(envelope, composer, claudeScreen);
  const { submitted, other } = composer;
  if (outcome === 'submitted' && submitted.length === 1 && submitted[0] === envelope && other === '') return;
  throw new Error(`${outcome}, ${JSON.stringify({ content, submitted, other })}`);
}

/** Takes what is between the marks of a paste as text, and outside of them any line end for Enter. */
class Composer {
  readonly pastes = true;
  readonly submitted: string[] = [];
  /** Keys that are neither. */
  other = '';
  #draft = '';
  #isPaste = false;

  reading(): Reading {
    return { state: 'composer', draft: this.#draft, busy: false };
  }

  write(keys: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marks of a paste begin with one
    for (const key of keys.split(/(\x1b\[20[01]~|\x9b20[01]~|[\r\n])/)) {
      if (/20[01]~$/.test(key) && key.length < 7) this.#isPaste = key.endsWith('200~');
      else if (this.#isPaste) this.#draft += key;
      else if (key === '\r' || key === '\n') this.#submit();
      else this.other += key;
    }
  }

  changed(withinMs: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, withinMs));
  }

  #submit(): void {
    this.submitted.push(this.#draft);
    this.#draft = '';
  }
}
