import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isLoopbackHost, servedHosts } from './hosts.ts';

const addresses = Object.values(networkInterfaces())
  .flatMap((all = []) => all)
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

describe('the accepted hosts', () => {
  it.each(['0.0.0.0', '::'])('on %s are all names and addresses of this machine', (bind) => {
    const isServed = servedHosts(bind, ['Relay.Example']);
    for (const name of [...addresses, hostname(), 'localhost', '[::1]', 'relay.example'])
      expect(isServed(name), name).toBe(true);
    for (const name of ['', 'evil.example', '192.0.2.1', '[2001:db8::1]', `${hostname()}.example`])
      expect(isServed(name), name).toBe(false);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['192.0.2.7', '192.0.2.7'],
    ['::1', '[::1]'],
    ['2001:db8::7', '[2001:db8::7]'],
    ['Relay.lan', 'relay.lan'],
  ])('on %s are that address and the loopback ones', (bind, name) => {
    const isServed = servedHosts(bind, []);
    for (const served of [name, 'localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])
      expect(isServed(served), served).toBe(true);
    for (const other of ['192.0.2.1', 'evil.example', '']) expect(isServed(other), other).toBe(false);
  });
});

it.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.example', false],
  ['192.0.2.1', false],
])('%s is a loopback address: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
