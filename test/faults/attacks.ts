import { encodeEnvelope, encodeFrame } from '@agent-relay/protocol';

/** Invalid bytes, and the required answers of the daemon. */
export interface Attack {
  name: string;
  /** Whether the connection sends HELLO first, as an agent. */
  after: 'nothing' | 'HELLO';
  /** Written one after the other, each in its own packet. */
  bytes: Uint8Array[];
  /** The codes of the ERROR answers, in order. */
  errors: string[];
  /** Whether the daemon must close the connection; if not, it must still work. */
  closed: boolean;
}

const DEPTH = 10_000;
const MAX_MALFORMED = 16;

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const header = (length: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
};
const frameOf = (body: Uint8Array): Uint8Array => Buffer.concat([header(body.length), body]);
const envelope = (type: string, payload: unknown): Uint8Array =>
  encodeFrame(encodeEnvelope(type, 'attack', 0, payload));
/** An envelope with a payload as text: no serializer would nest this deep. */
const rawEnvelope = (type: string, payload: string): Uint8Array =>
  encodeFrame(`{"v":1,"type":"${type}","id":"attack","ts":0,"payload":${payload}}`);

const deepArray = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
const deepObject = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
const invalidUtf8 = frameOf(new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]));

const beforeHello: Array<[name: string, bytes: Uint8Array, error: string]> = [
  ['64 MiB announced', header(64 * 1024 * 1024), 'FrameTooLarge'],
  ['4 GiB announced', header(0xffffffff), 'FrameTooLarge'],
  ['one byte too many announced', header(1024 * 1024 + 1), 'FrameTooLarge'],
  ['an HTTP request', utf8('GET / HTTP/1.1\r\nHost: relay\r\n\r\n'), 'FrameTooLarge'],
  ['an empty frame', header(0), 'MalformedFrame'],
  ['invalid UTF-8', invalidUtf8, 'MalformedFrame'],
  ['no JSON', encodeFrame('hello'), 'MalformedFrame'],
  ['JSON that is no envelope', encodeFrame('[1,2,3]'), 'MalformedFrame'],
  ['null', encodeFrame('null'), 'MalformedFrame'],
  [
    'an envelope of another version',
    encodeFrame('{"v":2,"type":"HELLO","id":"a","ts":0,"payload":{}}'),
    'VersionMismatch',
  ],
  ['a request before HELLO', envelope('WHO', {}), 'HelloRequired'],
  ['a HELLO of another protocol', envelope('HELLO', { protocol: { min: 90, max: 99 } }), 'VersionMismatch'],
  ['a HELLO that is no object', envelope('HELLO', 7), 'InvalidRequest'],
  [
    'a HELLO in the shape of a prototype',
    rawEnvelope('HELLO', '{"__proto__":{"name":"x"},"name":7}'),
    'InvalidRequest',
  ],
  ['a HELLO 10,000 arrays deep', rawEnvelope('HELLO', `{"name":${deepArray}}`), 'InvalidRequest'],
  [
    'a HELLO with a schema 10,000 objects deep',
    rawEnvelope(
      'HELLO',
      `{"name":"deep","tools":[{"name":"t","description":"","inputSchema":${deepObject}}]}`,
    ),
    'InvalidRequest',
  ],
];

const tool = (schema: string) => `[{"name":"t","description":"","inputSchema":${schema}}]`;
const afterHello: Array<[name: string, bytes: Uint8Array, error: string]> = [
  ['invalid UTF-8', invalidUtf8, 'MalformedFrame'],
  ['no JSON', encodeFrame('{"v":1,'), 'MalformedFrame'],
  [
    'a lone surrogate as content',
    rawEnvelope('SEND', '{"to":"witness-receiver","content":"\\ud800"}'),
    'InvalidRequest',
  ],
  ['an unknown operation', envelope('SELF_DESTRUCT', {}), 'UnknownOperation'],
  ['an operation of the prototype', envelope('CONSTRUCTOR', {}), 'UnknownOperation'],
  ['a second HELLO', envelope('HELLO', { name: 'somebody-else' }), 'UnknownOperation'],
  ['a payload 10,000 arrays deep', rawEnvelope('SEND', deepArray), 'InvalidRequest'],
  ['content 10,000 arrays deep', rawEnvelope('SEND', `{"to":"a","content":${deepArray}}`), 'InvalidRequest'],
  [
    'an address 10,000 objects deep',
    rawEnvelope('SEND', `{"to":${deepObject},"content":"a"}`),
    'InvalidRequest',
  ],
  [
    'a tool schema 10,000 objects deep',
    rawEnvelope(
      'ANNOUNCE',
      `{"kind":"capability_announcement","capabilities":[],"tools":${tool(deepObject)}}`,
    ),
    'InvalidRequest',
  ],
  [
    'a message far over the limit',
    envelope('SEND', { to: 'witness-receiver', content: 'x'.repeat(900_000) }),
    'BodyTooLarge',
  ],
  ['nothing to say', envelope('SEND', { to: 'witness-receiver', content: ' ' }), 'EmptyBody'],
];

const one =
  (after: Attack['after'], closed: boolean) =>
  ([name, bytes, error]: (typeof beforeHello)[number]): Attack => ({
    name: after === 'HELLO' ? `${name}, after HELLO` : name,
    after,
    bytes: [bytes],
    errors: [error],
    closed,
  });

export const ATTACKS: Attack[] = [
  ...beforeHello.map(one('nothing', true)),
  ...afterHello.map(one('HELLO', false)),
  {
    name: '64 MiB announced, after HELLO',
    after: 'HELLO',
    bytes: [header(64 * 1024 * 1024), utf8('x'.repeat(4096))],
    errors: ['FrameTooLarge'],
    closed: true,
  },
  {
    name: 'one malformed frame after the other',
    after: 'HELLO',
    bytes: Array<Uint8Array>(MAX_MALFORMED).fill(encodeFrame('?')),
    errors: Array<string>(MAX_MALFORMED).fill('MalformedFrame'),
    closed: true,
  },
];
