import type { HistoryMessage } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { relay } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { Icon } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { Composer } from './composer.tsx';
import { Delivery } from './delivery.tsx';
import { MessageRow } from './message-row.tsx';
import { panel, type Panel as Shown } from './panel-state.ts';

const THREAD_LIMIT = 200;

/** What stands beside a conversation: the thread of a message, or what became of it. */
export function Panel({ shown, canWrite }: { shown: Shown; canWrite: boolean }) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => frame.current?.focus(), [shown.message.id, shown.kind]);
  const close = () => {
    panel.value = undefined;
  };
  return (
    <aside
      class="panel"
      ref={frame}
      tabIndex={-1}
      aria-label={shown.kind === 'thread' ? 'Thread' : 'Delivery'}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <header class="conversation-head">
        <h2>{shown.kind === 'thread' ? 'Thread' : 'Delivery'}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {shown.kind === 'thread' ? (
        <Thread key={shown.message.id} root={shown.message} canWrite={canWrite} />
      ) : (
        <Delivery key={shown.message.id} message={shown.message} />
      )}
    </aside>
  );
}

function Thread({ root, canWrite }: { root: HistoryMessage; canWrite: boolean }) {
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
  const last = messages.value.at(-1) ?? root;
  return (
    <>
      <div class="messages" role="log" aria-label="Messages of the thread">
        {messages.value.map((message) => (
          <MessageRow key={message.id} message={message} isFirst withPlace={false} />
        ))}
      </div>
      {canWrite && (
        <Composer
          label="Reply in the thread"
          send={(content, options) => relay().reply(last.id, content, options)}
        />
      )}
    </>
  );
}
