import type { HistoryMessage } from '@agent-relay/sdk';
import { memo } from 'preact/compat';
import { relay, welcome } from '../../connection/connection.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { tell } from '../../parts/notices.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { linkTo } from '../../routes.ts';
import { openThread } from '../panel-state.ts';
import { placeOf } from '../place.ts';
import { Attachment } from './attachment.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageBody } from './message-body.tsx';

const KINDS = { question: 'Question', directive: 'Directive', status: 'Status', free: undefined };

/** The id of the row of a message in the page. */
export const rowId = ({ id }: Pick<HistoryMessage, 'id'>): string => `message-${id}`;

/** One message. `isFirst`: the first of several in a row by one sender. */
export const MessageRow = memo(
  ({
    message,
    isFirst,
    withPlace,
    isTarget = false,
  }: {
    message: HistoryMessage;
    isFirst: boolean;
    withPlace: boolean;
    /** The URL links to this message. */
    isTarget?: boolean;
  }) => {
    const { from, fromType, unverified, ts, content, redacted } = message;
    return (
      <article
        id={rowId(message)}
        class={`message${isFirst ? ' is-first' : ''}${isTarget ? ' is-target' : ''}`}
        aria-label={`Message from ${from}`}
        aria-current={isTarget ? 'true' : undefined}
        data-row
        tabIndex={-1}
        onKeyDown={({ key, target, currentTarget }) => {
          if (key === 'Enter' && target === currentTarget) openThread(message);
        }}
      >
        <div class="message-side">
          {isFirst ? <Sender name={from} type={fromType} /> : <ClockTime time={ts} />}
        </div>
        <div class="message-main">
          {isFirst && (
            <header class="message-head">
              <strong>{from}</strong>
              {fromType === 'human' && <span class="tag">Person</span>}
              {unverified && (
                <span class="tag is-warn" title="The sender only said who it is.">
                  Unverified
                </span>
              )}
              {withPlace && <PlaceOf message={message} />}
              <ClockTime time={ts} />
              <Kind message={message} />
            </header>
          )}
          {!isFirst && (
            <p class="message-kind">
              <Kind message={message} />
            </p>
          )}
          {redacted ? <p class="muted">This message was redacted.</p> : <MessageBody content={content} />}
          {message.attachments && message.attachments.length > 0 && (
            <div class="files">
              {message.attachments.map((file) => (
                <Attachment key={file.id} file={file} />
              ))}
            </div>
          )}
          {message.replyTo !== undefined && (
            <button type="button" class="quiet in-thread" onClick={() => openThread(message)}>
              <Icon name="reply" size={13} /> In a thread
            </button>
          )}
          <Reactions message={message} />
        </div>
        <MessageActions message={message} />
      </article>
    );
  },
);

const Kind = ({ message: { kind, importance } }: { message: HistoryMessage }) => (
  <>
    {KINDS[kind] && <span class={`tag is-${kind}`}>{KINDS[kind]}</span>}
    {importance === 'urgent' && <span class="tag is-bad">Urgent</span>}
    {importance === 'high' && <span class="tag is-warn">Important</span>}
  </>
);

/** The relay itself looks like no agent. */
const Sender = ({ name, type }: { name: string; type: HistoryMessage['fromType'] }) =>
  type === 'system' ? (
    <span class="avatar is-relay" aria-hidden="true">
      <Icon name="route" />
    </span>
  ) : (
    <Avatar name={name} />
  );

function PlaceOf({ message }: { message: HistoryMessage }) {
  const { place, subject } = placeOf(message, welcome.value?.agent?.name ?? '');
  return (
    <a class="message-place" href={linkTo(welcome.value?.project ?? '', place, subject)}>
      → {message.to === '*' ? 'everyone' : message.to}
    </a>
  );
}

function Reactions({ message: { id, reactions = [] } }: { message: HistoryMessage }) {
  const me = welcome.value?.agent?.name ?? '';
  if (reactions.length === 0) return null;
  return (
    <div class="reactions">
      {reactions.map(({ emoji, agents }) => {
        const isMine = agents.includes(me);
        return (
          <button
            key={emoji}
            type="button"
            class="reaction"
            aria-pressed={isMine}
            title={agents.join(', ')}
            onClick={() => (isMine ? relay().unreact(id, emoji) : relay().react(id, emoji)).catch(tell)}
          >
            {emoji} {agents.length}
            <span class="sr-only"> by {agents.join(', ')}</span>
          </button>
        );
      })}
    </div>
  );
}
