import { computed, signal } from '@preact/signals';

/** The places of the page: `#/<project>/<place>/<subject>`. */
const PLACES = [
  'overview',
  'agent',
  'terminal',
  'messages',
  'activity',
  'channel',
  'direct',
  'between',
  'search',
  'tools',
  'invocations',
  'servers',
  'message',
  'settings',
] as const;
export type Place = (typeof PLACES)[number];

export interface Route {
  project: string | undefined;
  place: Place;
  subject: string;
  /** In a conversation: the message to show. */
  message?: string;
  /** How the place is filtered, as a query. */
  view?: string;
}

/** The places that show messages. */
const CONVERSATIONS: ReadonlySet<Place> = new Set(['activity', 'channel', 'direct', 'between']);

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const route = computed(() => parseRoute(hash.value));

export function parseRoute(text: string): Route {
  // A question mark in a name is encoded.
  const [path = '', view] = text.replace(/^#\/?/, '').split('?', 2);
  const [project = '', place = '', ...rest] = path.split('/').map(decoded);
  const known = PLACES.find((one) => one === place) ?? 'overview';
  const at = { project: project === '' ? undefined : project, place: known, ...(view ? { view } : {}) };
  if (!CONVERSATIONS.has(known)) return { ...at, subject: rest.join('/') };
  const [subject = '', message] = known === 'activity' ? ['', ...rest] : rest;
  return { ...at, subject, ...(message ? { message } : {}) };
}

export function linkTo(project: string, place: Place = 'overview', subject = '', message = ''): string {
  const words = [place === 'overview' ? '' : place, subject, message].filter((word) => word !== '');
  return `#/${[project, ...words].map(encodeURIComponent).join('/')}`;
}

/** Notes in the address how the place is filtered. */
export function showView(view: string): void {
  const [place = ''] = hash.peek().split('?', 1);
  const link = view === '' ? place : `${place}?${view}`;
  if (link !== hash.peek()) replaceRoute(link);
}

/** Navigates without adding a history entry. */
export function replaceRoute(link: string): void {
  history.replaceState(null, '', link);
  hash.value = link;
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
