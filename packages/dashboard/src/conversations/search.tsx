import type { SearchHit } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Ago } from '../parts/time.tsx';
import { linkTo, replaceRoute, route } from '../routes.ts';
import { placeOf } from './place.ts';

const LIMIT = 50;
const WAIT_MS = 250;

/** Finds messages by their words. */
export function Search() {
  const field = useRef<HTMLInputElement>(null);
  const query = route.value.subject;
  const hits = useSignal<SearchHit[] | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    const show = (found: SearchHit[] | undefined, wrong?: string) => {
      if (isOver) return;
      hits.value = found;
      error.value = wrong;
    };
    const timer = setTimeout(() => {
      if (query.trim() === '') return show(undefined);
      relay()
        .search(query, { limit: LIMIT })
        .then(show, (failed: Error) => show(undefined, failed.message));
    }, WAIT_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [query]);
  // Whoever comes here comes to type.
  useEffect(() => field.current?.focus(), []);
  const project = welcome.value?.project ?? '';
  return (
    <div class="place narrow">
      <header class="place-head">
        <h1>Search</h1>
      </header>
      <input
        class="search-field"
        type="search"
        aria-label="Search messages"
        placeholder='Words, or "a phrase"'
        ref={field}
        value={query}
        onInput={({ currentTarget }) => replaceRoute(linkTo(project, 'search', currentTarget.value))}
      />
      <div role="status" class="muted search-state">
        {error.value}
        {hits.value && `${hits.value.length === LIMIT ? `${LIMIT}+` : hits.value.length} found`}
      </div>
      <ul class="rows">
        {hits.value?.map((hit) => (
          <Hit key={hit.message.id} hit={hit} project={project} />
        ))}
      </ul>
    </div>
  );
}

function Hit({ hit: { message, highlight }, project }: { hit: SearchHit; project: string }) {
  const { place, subject } = placeOf(message, welcome.value?.agent?.name ?? '');
  return (
    <li class="row">
      <a class="row-main hit" href={linkTo(project, place, subject, message.id)}>
        <p>
          <Avatar name={message.from} /> <strong>{message.from}</strong>{' '}
          <span class="muted">
            → {message.to} · <Ago time={message.ts} />
          </span>
        </p>
        <p class="hit-text">{marked(highlight)}</p>
      </a>
    </li>
  );
}

/** The words that were found stand between two marks that nobody types. */
const marked = (highlight: string) =>
  highlight
    .split(/(\uE000[^\uE001]*\uE001)/)
    .map((part, index) => (part.startsWith('\uE000') ? <mark key={index}>{part.slice(1, -1)}</mark> : part));
