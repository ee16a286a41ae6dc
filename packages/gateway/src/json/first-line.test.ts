import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readFirstLine } from './first-line.ts';

let server: Server;
let near: Socket;
let far: Socket;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  near = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
  [far] = (await accepted) as [Socket];
});
afterEach(() => {
  near.destroy();
  far.destroy();
  server.close();
});

it('is read in any number of pieces, and the rest stays in the socket', async () => {
  const line = readFirstLine(near);
  far.write('hel');
  far.write('lo\nthe ');
  expect(await line).toBe('hello');
  far.end('rest');
  let rest = '';
  near.setEncoding('utf8').on('data', (text: string) => {
    rest += text;
  });
  near.resume();
  await once(near, 'end');
  expect(rest).toBe('the rest');
});

it('is an error if it is too long or never arrives', async () => {
  const long = expect(readFirstLine(near)).rejects.toThrow('the first line is too long');
  far.write('x'.repeat(20_000));
  await long;
  near.destroy();
  const other = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = (await once(server, 'connection')) as [Socket];
  const cut = expect(readFirstLine(other)).rejects.toThrow('the other end closed the connection');
  peer.end('no end');
  await cut;
  other.destroy();
});
