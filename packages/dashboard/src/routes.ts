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
  'settings',
] as const;
export type Place = (typeof PLACES)[number];

export interface Route {
  project: string | undefined;
  place: Place;
  subject: string;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const route = computed(() => parseRoute(hash.value));

export function parseRoute(text: string): Route {
  const [project = '', place = '', ...rest] = text.replace(/^#\/?/, '').split('/').map(decoded);
  return {
    project: project === '' ? undefined : project,
    place: PLACES.find((known) => known === place) ?? 'overview',
    subject: rest.join('/'),
  };
}

export function linkTo(project: string, place: Place = 'overview', subject = ''): string {
  const words = [project, ...(place === 'overview' ? [] : [place]), ...(subject === '' ? [] : [subject])];
  return `#/${words.map(encodeURIComponent).join('/')}`;
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
