import type { ChannelInfo } from '@agent-relay/sdk';
import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { welcome } from '../connection/connection.ts';
import { agents, channels, direct, recent, unread } from '../model/project.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { linkTo, type Place, route } from '../routes.ts';
import { ChannelMenu } from './channel-menu.tsx';
import { placeOf } from './place.ts';
import { NewChannel } from './writing/new-channel.tsx';
import { NewMessage } from './writing/new-message.tsx';

const SHOWN_PAIRS = 8;
/** How many agents without messages are listed; the overview lists all. */
const SHOWN_OTHERS = 20;

/** The person's unread messages in each place. */
const unreadIn = computed(() => {
  const me = welcome.value?.agent?.name ?? '';
  const counts = new Map<string, number>();
  for (const message of unread.value.values()) {
    const { place, subject } = placeOf(message, me);
    const key = `${place} ${subject}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
});

export const unreadAt = (place: Place, subject = ''): number =>
  unreadIn.value.get(`${place} ${subject}`) ?? 0;

/** Conversations between others, newest first. */
const pairs = computed(() => {
  const me = welcome.value?.agent?.name ?? '';
  const subjects = new Set<string>();
  for (const message of recent.value.toReversed()) {
    if (message.fromType === 'system') continue;
    const { place, subject } = placeOf(message, me);
    if (place === 'between') subjects.add(subject);
    if (subjects.size === SHOWN_PAIRS) break;
  }
  return [...subjects];
});

/** Direct conversations, and agents online without any messages yet. */
const contacts = computed(() => {
  const known = direct.value.map(({ participants }) => participants.join(','));
  const isKnown = new Set(known);
  const others = [...agents.value.values()]
    .filter(({ name, type, status }) => type === 'agent' && status !== 'offline' && !isKnown.has(name))
    .map(({ name }) => name)
    .slice(0, SHOWN_OTHERS)
    .sort((one, other) => one.localeCompare(other));
  return [...known, ...others].filter((subject) => subject !== '');
});

/** All conversations. */
export function ConversationLists() {
  const open = channels.value.filter(({ archivedAt }) => archivedAt === undefined);
  const archived = channels.value.filter(({ archivedAt }) => archivedAt !== undefined);
  return (
    <div class="lists">
      <List title="Channels" add={<NewChannel />}>
        {open.map((channel) => (
          <ChannelItem key={channel.name} channel={channel} />
        ))}
        {open.length === 0 && <li class="nav-more muted">None yet. Create one with +, or agents do.</li>}
        {archived.length > 0 && (
          <li>
            <details class="nav-more">
              <summary class="muted">{archived.length} archived</summary>
              <ul class="nav">
                {archived.map((channel) => (
                  <ChannelItem key={channel.name} channel={channel} />
                ))}
              </ul>
            </details>
          </li>
        )}
      </List>
      <List title="Direct messages" add={<NewMessage />}>
        {contacts.value.map((subject) => (
          <Item key={subject} place="direct" subject={subject} text={subject.replaceAll(',', ', ')} />
        ))}
        {contacts.value.length === 0 && (
          <li class="nav-more muted">Agents appear here as soon as they connect.</li>
        )}
      </List>
      {pairs.value.length > 0 && (
        <List title="Between agents">
          {pairs.value.map((subject) => (
            <Item
              key={subject}
              place="between"
              subject={subject}
              text={subject.replaceAll(',', ' · ')}
              icon="group"
            />
          ))}
        </List>
      )}
    </div>
  );
}

function List({
  title,
  add,
  children,
}: {
  title: string;
  /** Creates a new one. */
  add?: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = `list-${title.replaceAll(' ', '-').toLowerCase()}`;
  return (
    <section class="nav-section" aria-labelledby={id}>
      <header class="nav-head">
        <h2 id={id}>{title}</h2>
        {add}
      </header>
      <ul class="nav">{children}</ul>
    </section>
  );
}

function ChannelItem({ channel }: { channel: ChannelInfo }) {
  const name = channel.name.slice(1);
  return (
    <Item
      place="channel"
      subject={name}
      text={name}
      icon="channel"
      menu={<ChannelMenu channel={channel} />}
    />
  );
}

function Item({
  place,
  subject,
  text,
  icon,
  menu,
}: {
  place: Place;
  subject: string;
  text: string;
  icon?: 'channel' | 'group';
  menu?: ComponentChildren;
}) {
  const isHere = route.value.place === place && route.value.subject === subject;
  const count = unreadAt(place, subject);
  const status = agents.value.get(subject)?.status;
  return (
    <li data-row class={menu ? 'has-menu' : undefined}>
      <a
        class={count > 0 ? 'nav-item is-unread' : 'nav-item'}
        href={linkTo(welcome.value?.project ?? '', place, subject)}
        aria-current={isHere ? 'page' : undefined}
      >
        {icon ? <Icon name={icon} /> : <Avatar name={subject} {...(status ? { status } : {})} />}
        <span class="nav-text">{text}</span>
        {count > 0 && (
          <span class="count">
            {count}
            <span class="sr-only"> unread</span>
          </span>
        )}
      </a>
      {menu}
    </li>
  );
}
