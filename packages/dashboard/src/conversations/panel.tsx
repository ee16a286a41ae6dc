import type { HistoryMessage } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { changedMessage } from '../model/messages.ts';
import { channels } from '../model/project.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { ChannelDetails } from './channel-details.tsx';
import { ChannelFoot } from './channel-foot.tsx';
import { Delivery } from './message/delivery.tsx';
import { MessageRow } from './message/message-row.tsx';
import { panel, type Panel as Shown } from './panel-state.ts';
import { ScrollAnchor } from './scroll-anchor.ts';
import { Composer } from './writing/composer.tsx';

const THREAD_PAGE = 100;

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
  const frame = useRef<HTMLDivElement>(null);
  const anchor = useRef<ScrollAnchor | undefined>(undefined);
  const name = root.thread ?? root.id;
  /** What the thread is about: its first message, which may be far above the newest ones. */
  const first = useSignal(root);
  const replies = useSignal<readonly HistoryMessage[]>([]);
  const more = useSignal(false);
  /** The newest page, or the one before a message. */
  const read = async (before?: number) => {
    const where = before === undefined ? {} : { before };
    const page = await relay().history({ thread: name, ...where, limit: THREAD_PAGE });
    const isStart = before !== undefined || replies.peek().length === 0;
    const known = new Map([...replies.peek(), ...page.messages].map((message) => [message.id, message]));
    if (isStart) more.value = page.more;
    replies.value = [...known.values()].sort((one, other) => one.seq - other.seq);
  };
  useEffect(() => {
    relay()
      .thread(root.id, { limit: 1 })
      .then(({ messages: [start] }) => {
        if (start) first.value = start;
      }, tell);
    read().catch(tell);
    return model.value?.listen((events) => {
      first.value = events.reduce(changedMessage, first.peek());
      replies.value = replies.peek().map((message) => events.reduce(changedMessage, message));
      if (events.some((event) => event.type === 'message.created' && event.message.thread === name))
        read().catch(tell);
    });
  }, [root.id]);
  const last = replies.value.at(-1) ?? root;
  useLayoutEffect(() => {
    if (!frame.current) return;
    const made = new ScrollAnchor(frame.current, { isAtEnd: true });
    anchor.current = made;
    return () => made.close();
  }, []);
  useLayoutEffect(() => anchor.current?.hold(), [first.value, replies.value]);
  return (
    <>
      <div class="messages" role="log" aria-label="Messages of the thread" ref={frame}>
        <div>
          <MessageRow message={first.value} isFirst withPlace={false} />
          {more.value && (
            <p class="center">
              <BusyButton kind="quiet" onPress={() => read(replies.peek()[0]?.seq)}>
                Show earlier replies
              </BusyButton>
            </p>
          )}
          {replies.value.map(
            (message) =>
              message.id !== first.value.id && (
                <MessageRow key={message.id} message={message} isFirst withPlace={false} />
              ),
          )}
        </div>
      </div>
      <ThreadFoot root={root} last={last} />
    </>
  );
}

/** Only who takes part in a conversation can reply in it. */
function ThreadFoot({ root, last }: { root: HistoryMessage; last: HistoryMessage }) {
  const { channel, from, to, group } = root;
  const me = welcome.value?.agent?.name ?? '';
  const composer = (
    <Composer
      label="Reply in the thread"
      place={`thread ${root.thread ?? root.id}`}
      send={(content, options) => relay().reply(last.id, content, options)}
    />
  );
  if (channel !== undefined) return <ChannelFoot channel={channel}>{composer}</ChannelFoot>;
  if ([from, to, ...(group ?? [])].some((name) => name === me || name === '*')) return composer;
  return <p class="foot-note muted">You do not take part in this conversation.</p>;
}
