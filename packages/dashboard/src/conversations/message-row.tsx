import type { HistoryMessage } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { relay, welcome } from '../connection/connection.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { ClockTime } from '../parts/time.tsx';
import { linkTo } from '../routes.ts';
import { Attachment } from './attachment.tsx';
import { MessageBody } from './message-body.tsx';
import { panel } from './panel-state.ts';
import { placeOf } from './place.ts';

const EMOJIS = ['👍', '✅', '🎉', '👀', '❤️', '😄', '❓', '🚫'];
const KINDS = { question: 'Question', directive: 'Directive', status: 'Status', free: undefined };

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
    const { id, from, fromType, unverified, ts, kind, importance, content, redacted } = message;
    return (
      <article
        id={`message-${id}`}
        class={`message${isFirst ? ' is-first' : ''}${isTarget ? ' is-target' : ''}`}
        aria-label={`Message from ${from}`}
        aria-current={isTarget ? 'true' : undefined}
      >
        <div class="message-side">{isFirst ? <Avatar name={from} /> : <ClockTime time={ts} />}</div>
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
            </header>
          )}
          {(KINDS[kind] || importance === 'urgent' || importance === 'high') && (
            <p class="message-kind">
              {KINDS[kind] && <span class={`tag is-${kind}`}>{KINDS[kind]}</span>}
              {importance === 'urgent' && <span class="tag is-bad">Urgent</span>}
              {importance === 'high' && <span class="tag is-warn">Important</span>}
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
            <button type="button" class="quiet in-thread" onClick={() => openPanel('thread', message)}>
              <Icon name="reply" size={13} /> In a thread
            </button>
          )}
          <Reactions message={message} />
        </div>
        <Actions message={message} />
      </article>
    );
  },
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

const openPanel = (kind: 'thread' | 'delivery', message: HistoryMessage): void => {
  panel.value = { kind, message };
};

async function copyLink(id: string): Promise<void> {
  const link = new URL(linkTo(welcome.value?.project ?? '', 'message', id), location.href);
  await navigator.clipboard.writeText(link.href);
  tell('Copied the link to the message.');
}

/** The actions of a message. */
function Actions({ message }: { message: HistoryMessage }) {
  const isPicking = useSignal(false);
  const { id, from } = message;
  const pick = (emoji: string) => {
    isPicking.value = false;
    relay().react(id, emoji).catch(tell);
  };
  return (
    <div class="message-actions">
      {isPicking.value &&
        EMOJIS.map((emoji) => (
          <button
            key={emoji}
            type="button"
            class="quiet"
            aria-label={`React with ${emoji}`}
            onClick={() => pick(emoji)}
          >
            {emoji}
          </button>
        ))}
      <button
        type="button"
        class="quiet"
        aria-label={`React to ${from}`}
        aria-expanded={isPicking.value}
        title="React"
        onClick={() => {
          isPicking.value = !isPicking.value;
        }}
      >
        <Icon name="smile" />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`Open the thread of ${from}’s message`}
        title="Thread"
        onClick={() => openPanel('thread', message)}
      >
        <Icon name="reply" />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`Show the delivery of ${from}’s message`}
        title="Delivery"
        onClick={() => openPanel('delivery', message)}
      >
        <Icon name="route" />
      </button>
      {/* Only where the browser lets a page do it: over TLS, and on this machine. */}
      {navigator.clipboard && (
        <button
          type="button"
          class="quiet"
          aria-label={`Copy the link to ${from}’s message`}
          title="Copy link"
          onClick={() => copyLink(id).catch(tell)}
        >
          <Icon name="link" />
        </button>
      )}
    </div>
  );
}
