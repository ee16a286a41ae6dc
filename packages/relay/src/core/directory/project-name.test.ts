import { checkName } from '@agent-relay/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectName } from './project-name.ts';

describe('the name of a project', () => {
  it.each([
    ['/home/ann/shop', 'shop'],
    ['/home/ann/shop/', 'shop'],
    ['C:\\Users\\ann\\shop', 'shop'],
    ['/home/ann/My Shop (new)', 'My-Shop-new'],
    ['/home/ann/.config', 'config'],
    ['/home/ann/__init__', 'init__'],
    ['/home/ann/Café', 'Cafe'],
    ['/home/ann/商店', 'project'],
    ['/', 'project'],
    ['', 'project'],
    [`/home/ann/${'x'.repeat(80)}`, 'x'.repeat(64)],
  ])('of %s is %s', (root, name) => {
    expect(projectName(root)).toBe(name);
  });

  it('is a valid name for any directory', () => {
    fc.assert(
      fc.property(fc.uint16Array(), (units) => {
        const name = projectName(String.fromCharCode(...units));
        expect(checkName(name, 'project')).toBe(name);
      }),
    );
  });
});
