import { describe, expect, it } from 'vitest';
import { secretsOf, shownAddress, withoutSecrets } from './address.ts';

describe('the displayed address', () => {
  it.each([
    ['ws://localhost:9010', 'ws://localhost:9010'],
    ['https://host/mcp/', 'https://host/mcp/'],
    ['https://$' + '{HOST}/mcp', 'https://$' + '{HOST}/mcp'],
    ['https://bob:secret@host/mcp', 'https://***@host/mcp'],
    ['https://token@host', 'https://***@host'],
    ['https://b@b:s@cret@host/a@b', 'https://***@host/a@b'],
    ['http:\\\\bob:secret@host\\x', 'http:\\\\***@host\\x'],
    ['http:bob:secret@host', 'http:***@host'],
    ['https://host/mcp?key=secret&region=eu', 'https://host/mcp?key=***&region=***'],
    ['https://host/mcp?key=a=b', 'https://host/mcp?key=***'],
    ['https://host/mcp?secret', 'https://host/mcp?***'],
    ['https://host/mcp?key=$' + '{KEY}', 'https://host/mcp?key=$' + '{KEY}'],
    ['https://host/mcp?key=$' + '{KEY:-secret}', 'https://host/mcp?key=***'],
    ['https://host/mcp?key=$' + '{KEY}secret', 'https://host/mcp?key=***'],
    ['https://host/mcp?to=a@b', 'https://host/mcp?to=***'],
    ['https://host/mcp#secret', 'https://host/mcp#***'],
    ['https://host/mcp?a=\nsecret', 'https://host/mcp?a=***'],
  ])('of %s is %s', (written, shown) => {
    expect(shownAddress(written)).toBe(shown);
  });
});

describe('messages about a backend', () => {
  const url = 'https://bob:pass%2Fword@host/mcp?key=s%20cret-key&short=ab';
  const address = 'https://***@host/mcp?key=***&short=***';
  const secrets = secretsOf({ url, address }, new Map([['TOKEN', 'tok-12345']]));

  it.each([
    [`Invalid URL: ${url}`, 'Invalid URL: https://***@host/mcp?key=***&short=***'],
    ['cannot use https://bob:pass%2Fword@host/', 'cannot use https://***@host/'],
    ['wrong key s cret-key', 'wrong key ***'],
    ['no page ?key=s%20cret-key', 'no page ?key=***'],
    ['bad token tok-12345', 'bad token $' + '{TOKEN}'],
    ['absent', 'absent'],
  ])('%s becomes %s', (message, shown) => {
    expect(withoutSecrets(message, secrets)).toBe(shown);
  });
});
