import type { HistoryMessage } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { channels } from '../model/project.ts';
import { Icon } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { ChannelDetails } from './channel-details.tsx';
import { ChannelFoot } from './channel-foot.tsx';
import { Delivery } from './message/delivery.tsx';
import { MessageRow } from './message/message-row.tsx';
import { panel, type Panel as Shown } from './panel-state.ts';
import { Composer } from './writing/composer.tsx';

const THREAD_LIMIT = 200;

const TITLES = { thread: 'Thread', delivery: 'Delivery', channel: 'About this channel' };

/** The panel next to a conversation: a thread, a delivery or the channel's details. */
export function Panel({ shown }: { shown: Shown }) {
  const frame = useRef<HTMLElement>(null);
  const subject = shown.kind === 'channel' ? shown.channel : shown.message.id;
  // Right away: the next keys are the text of the reply.
  useLayoutEffect(() => {
    const field = 'isReply' in shown && shown.isReply && frame.current?.querySelector('textarea');
    (field || frame.current)?.focus();
  }, [shown]);
  const close = () => {
    panel.value = undefined;
  };
  return (
    <aside
      class="panel"
      ref={frame}
      tabIndex={-1}
      aria-label={TITLES[shown.kind]}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <header class="conversation-head">
        <h2>{TITLES[shown.kind]}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <Content key={subject} shown={shown} />
    </aside>
  );
}

function Content({ shown }: { shown: Shown }) {
  switch (shown.kind) {
    case 'thread':
      return <Thread root={shown.message} />;
    case 'delivery':
      return <Delivery message={shown.message} />;
    case 'channel': {
      const known = channels.value.find(({ name }) => name === shown.channel);
      return known ? <ChannelDetails channel={known} /> : null;
    }
  }
}

function Thread({ root }: { root: HistoryMessage }) {
  const messages = useSignal<HistoryMessage[]>([root]);
  useEffect(() => {
    const read = () =>
      relay()
        .thread(root.id, { limit: THREAD_LIMIT })
        .then((thread) => {
          messages.value = thread.messages;
        }, tell);
    void read();
    const name = root.thread ?? root.id;
    return model.value?.listen((events) => {
      const concerns = events.some(
        (event) =>
          (event.type === 'message.created' && event.message.thread === name) ||
          ('messageId' in event && messages.peek().some(({ id }) => id === event.messageId)),
      );
      if (concerns) void read();
    });
  }, [root.id]);
  return (
    <>
      <div class="messages" role="log" aria-label="Messages of the thread">
        {messages.value.map((message) => (
          <MessageRow key={message.id} message={message} isFirst withPlace={false} />
        ))}
      </div>
      <ThreadFoot root={root} last={messages.value.at(-1) ?? root} />
    </>
  );
}

/** Only who takes part in a conversation can reply in it. */
function ThreadFoot({
  root: { channel, from, to, group },
  last,
}: {
  root: HistoryMessage;
  last: HistoryMessage;
}) {
  const me = welcome.value?.agent?.name ?? '';
  const composer = (
    <Composer
      label="Reply in the thread"
      send={(content, options) => relay().reply(last.id, content, options)}
    />
  );
  if (channel !== undefined) return <ChannelFoot channel={channel}>{composer}</ChannelFoot>;
  if ([from, to, ...(group ?? [])].some((name) => name === me || name === '*')) return composer;
  return <p class="foot-note muted">You do not take part in this conversation.</p>;
}
