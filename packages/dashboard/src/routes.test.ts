// @vitest-environment node
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

let routes: typeof import('./routes.ts');
beforeAll(async () => {
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('addEventListener', () => undefined);
  routes = await import('./routes.ts');
});

afterAll(() => void vi.unstubAllGlobals());

describe('a route', () => {
  it.each([
    ['', { project: undefined, place: 'overview', subject: '' }],
    ['#/shop', { project: 'shop', place: 'overview', subject: '' }],
    ['#/shop/agent/Alice', { project: 'shop', place: 'agent', subject: 'Alice' }],
    ['#/shop/channel/a%2Fb', { project: 'shop', place: 'channel', subject: 'a/b' }],
    ['#/shop/channel/a/m1', { project: 'shop', place: 'channel', subject: 'a', message: 'm1' }],
    ['#/shop/activity/m1', { project: 'shop', place: 'activity', subject: '', message: 'm1' }],
    ['#/shop/search/a/b', { project: 'shop', place: 'search', subject: 'a/b' }],
    ['#/shop/nowhere/x', { project: 'shop', place: 'overview', subject: 'x' }],
    ['#/shop?show=idle', { project: 'shop', place: 'overview', subject: '', view: 'show=idle' }],
    ['#/shop/search/why%3F', { project: 'shop', place: 'search', subject: 'why?' }],
    ['#/%E0%A4%A', { project: '%E0%A4%A', place: 'overview', subject: '' }],
  ])('%s is read', (text, expected) => {
    expect(routes.parseRoute(text)).toEqual(expected);
  });

  it.each([
    ['shop', 'overview', ''],
    ['shop', 'agent', 'Ali/ce #1'],
    ['my project', 'direct', 'Alice,Bob'],
  ] as const)('to %s %s %s leads back', (project, place, subject) => {
    expect(routes.parseRoute(routes.linkTo(project, place, subject))).toEqual({ project, place, subject });
  });
});
