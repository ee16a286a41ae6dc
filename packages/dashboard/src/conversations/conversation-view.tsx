import { SYSTEM_AGENT } from '@agent-relay/protocol';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { agents, channels } from '../model/project.ts';
import { Icon } from '../parts/icon.tsx';
import { linkTo } from '../routes.ts';
import { ChannelFoot } from './channel-foot.tsx';
import { MessageList } from './message/message-list.tsx';
import { NoMessages } from './message/no-messages.tsx';
import { Panel } from './panel.tsx';
import { panel, type Panel as Shown } from './panel-state.ts';
import { type Conversation, keyOf } from './place.ts';
import { Stream } from './stream.ts';
import { Composer } from './writing/composer.tsx';

/** A conversation: its messages, the composer, and a panel with a thread or a delivery. */
export function ConversationView({
  conversation,
  target,
}: {
  conversation: Conversation;
  target: string | undefined;
}) {
  const shown = model.value;
  const key = `${keyOf(conversation)} ${target ?? ''}`;
  const stream = useMemo(() => shown && new Stream(conversation, shown, target), [key, shown]);
  useEffect(() => {
    // It may have been opened from elsewhere, by the details of this channel.
    if (!isAbout(panel.peek(), conversation)) panel.value = undefined;
    return () => stream?.close();
  }, [stream]);
  if (!stream) return null;
  return (
    <div class={panel.value ? 'conversation has-panel' : 'conversation'}>
      <div class="conversation-main">
        <Head conversation={conversation} />
        <MessageList
          key={key}
          stream={stream}
          withPlace={conversation.kind === 'activity'}
          target={target}
          empty={<NoMessages conversation={conversation} />}
        />
        <Foot conversation={conversation} />
      </div>
      {panel.value && <Panel shown={panel.value} />}
    </div>
  );
}

const isAbout = (shown: Shown | undefined, conversation: Conversation): boolean =>
  shown?.kind === 'channel' && conversation.kind === 'channel' && shown.channel === conversation.channel;

function Header({
  title,
  about,
  children,
}: {
  title: string;
  /** The channel, if its details can be shown. */
  about?: string | undefined;
  children?: ComponentChildren;
}) {
  return (
    <header class="conversation-head">
      <a
        class="back only-phone"
        href={linkTo(welcome.value?.project ?? '', 'messages')}
        aria-label="All conversations"
      >
        <Icon name="back" />
      </a>
      <h1>{title}</h1>
      {children && <p class="muted clip">{children}</p>}
      {about !== undefined && (
        <button
          type="button"
          class="quiet push-right"
          aria-label={`About ${about}`}
          title="Topic and members"
          onClick={() => {
            panel.value = { kind: 'channel', channel: about };
          }}
        >
          <Icon name="group" />
        </button>
      )}
    </header>
  );
}

function Head({ conversation }: { conversation: Conversation }) {
  switch (conversation.kind) {
    case 'activity':
      return <Header title="All messages">All messages in this project</Header>;
    case 'channel': {
      const known = channels.value.find(({ name }) => name === conversation.channel);
      const members = known && `${known.members} ${known.members === 1 ? 'member' : 'members'}`;
      return (
        <Header title={conversation.channel} about={known && conversation.channel}>
          {[members, known?.topic].filter(Boolean).join(' · ')}
        </Header>
      );
    }
    case 'direct': {
      const [first = ''] = conversation.others;
      const task = conversation.others.length === 1 ? agents.value.get(first)?.task : undefined;
      return <Header title={conversation.others.join(', ')}>{task}</Header>;
    }
    case 'between':
      return <Header title={conversation.names.join(' and ')}>Read-only for you</Header>;
  }
}

function Foot({ conversation }: { conversation: Conversation }) {
  switch (conversation.kind) {
    case 'activity':
      return null;
    case 'between':
      return (
        <p class="foot-note muted">
          Write to{' '}
          {conversation.names.map((name) => (
            <a key={name} class="button" href={linkTo(welcome.value?.project ?? '', 'direct', name)}>
              {name}
            </a>
          ))}
        </p>
      );
    case 'channel':
      return (
        <ChannelFoot channel={conversation.channel}>
          <Composer
            key={conversation.channel}
            label={`Message ${conversation.channel}`}
            send={(content, options) => relay().send(conversation.channel, content, options)}
          />
        </ChannelFoot>
      );
    case 'direct': {
      const { others } = conversation;
      if (others.length === 1 && others[0] === SYSTEM_AGENT)
        return (
          <p class="foot-note muted">
            The relay reads no messages here. Allow or deny calls on the{' '}
            <a class="link" href={linkTo(welcome.value?.project ?? '')}>
              overview
            </a>
            .
          </p>
        );
      const to = others.length === 1 ? (others[0] ?? '') : others;
      return (
        <Composer
          key={keyOf(conversation)}
          label={`Message ${others.join(', ')}`}
          send={(content, options) => relay().send(to, content, options)}
        />
      );
    }
  }
}
