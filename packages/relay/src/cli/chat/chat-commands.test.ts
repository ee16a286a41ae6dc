import { expect, it } from 'vitest';
import { type Line, parseLine } from './chat-commands.ts';

it.each<[line: string, meant: Line]>([
  ['', { kind: 'nothing' }],
  ['  ', { kind: 'nothing' }],
  ['hello there ', { kind: 'text', text: 'hello there' }],
  [' /etc/hosts is wrong', { kind: 'text', text: '/etc/hosts is wrong' }],
  ['/reply 12 yes, do it', { kind: 'command', name: 'reply', number: '12', rest: 'yes, do it' }],
  ['/reply yes', { kind: 'command', name: 'reply', number: undefined, rest: 'yes' }],
  ['/react 3 :eyes:', { kind: 'command', name: 'react', number: '3', rest: ':eyes:' }],
  ['/readers 3', { kind: 'command', name: 'readers', number: '3', rest: '' }],
  ['/join 3 ', { kind: 'command', name: 'join', number: undefined, rest: '3' }],
  ['/nonsense x', { kind: 'unknown', name: 'nonsense' }],
  ['/toString', { kind: 'unknown', name: 'toString' }],
  ['/', { kind: 'unknown', name: '' }],
])('%j', (line, meant) => {
  expect(parseLine(line)).toEqual(meant);
});
