import { computed, signal } from '@preact/signals';

/** Where in the page the person can be: `#/<project>/<place>/<subject>`. */
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
  /** In a conversation: the message to go to. */
  message?: string;
}

/** Where a message can stand. */
const CONVERSATIONS: ReadonlySet<Place> = new Set(['activity', 'channel', 'direct', 'between']);

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const route = computed(() => parseRoute(hash.value));

export function parseRoute(text: string): Route {
  const [project = '', place = '', ...rest] = text.replace(/^#\/?/, '').split('/').map(decoded);
  const known = PLACES.find((one) => one === place) ?? 'overview';
  const at = { project: project === '' ? undefined : project, place: known };
  if (!CONVERSATIONS.has(known)) return { ...at, subject: rest.join('/') };
  const [subject = '', message] = known === 'activity' ? ['', ...rest] : rest;
  return { ...at, subject, ...(message ? { message } : {}) };
}

export function linkTo(project: string, place: Place = 'overview', subject = '', message = ''): string {
  const words = [place === 'overview' ? '' : place, subject, message].filter((word) => word !== '');
  return `#/${[project, ...words].map(encodeURIComponent).join('/')}`;
}

/** Goes somewhere without leaving a step in the browser's history. */
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
