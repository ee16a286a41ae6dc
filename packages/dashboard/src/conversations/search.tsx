import type { SearchHit } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { Avatar } from '../parts/avatar.tsx';
import { CommandLine } from '../parts/command.tsx';
import { Ago } from '../parts/time.tsx';
import { type Problem, Trouble } from '../parts/trouble.tsx';
import { linkTo, replaceRoute, route } from '../routes.ts';
import { placeOf } from './place.ts';

const LIMIT = 50;
const WAIT_MS = 250;

/** Searches messages. */
export function Search() {
  const field = useRef<HTMLInputElement>(null);
  const query = route.value.subject;
  const hits = useSignal<SearchHit[] | undefined>(undefined);
  const error = useSignal<Problem | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    const show = (found: SearchHit[] | undefined, wrong?: Problem) => {
      if (isOver) return;
      hits.value = found;
      error.value = wrong;
    };
    const timer = setTimeout(() => {
      if (query.trim() === '') return show(undefined);
      relay()
        .search(query, { limit: LIMIT })
        .then(show, (failed: Problem) => show(undefined, failed));
    }, WAIT_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [query]);
  // Focus the input right away.
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
        {error.value && <Trouble problem={error.value} />}
        {hits.value && `${hits.value.length === LIMIT ? `${LIMIT}+` : hits.value.length} found`}
      </div>
      {query.trim() === '' && <HowToSearch />}
      {hits.value?.length === 0 && (
        <p>
          No message contains all of these words. Use fewer or other words. A new message can be found after a
          moment.
        </p>
      )}
      <ul class="rows">
        {hits.value?.map((hit) => (
          <Hit key={hit.message.id} hit={hit} project={project} />
        ))}
      </ul>
    </div>
  );
}

const HowToSearch = () => (
  <section class="card empty">
    <h2>Search all messages of this project</h2>
    <p>
      <code>checkout refund</code> finds messages with both words, <code>"order history"</code> the phrase. In
      a terminal, also by channel, sender and time:
    </p>
    <CommandLine>agent-relay search checkout --channel release --since 2h</CommandLine>
  </section>
);

function Hit({ hit: { message, highlight }, project }: { hit: SearchHit; project: string }) {
  const { place, subject } = placeOf(message, welcome.value?.agent?.name ?? '');
  return (
    <li class="row" data-row>
      <a class="row-main hit" href={linkTo(project, place, subject, message.id)}>
        <p class="hit-head">
          <Avatar name={message.from} />
          <strong>{message.from}</strong>
          <span class="muted">
            → {message.to} · <Ago time={message.ts} />
          </span>
        </p>
        <p class="hit-text">{marked(withoutMarks(highlight))}</p>
      </a>
    </li>
  );
}

/** Markdown syntax is noise in a line of plain text. */
const withoutMarks = (text: string): string => text.replace(/^#{1,6}\s+/, '').replace(/\*\*|~~|`+/g, '');

/** Matches are enclosed in two private-use characters. */
const marked = (highlight: string) =>
  highlight
    .split(/(\uE000[^\uE001]*\uE001)/)
    .map((part, index) => (part.startsWith('\uE000') ? <mark key={index}>{part.slice(1, -1)}</mark> : part));
