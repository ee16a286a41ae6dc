import { safeLine } from '@agent-relay/protocol';
import type { HeldInfo, HistoryMessage, PromptAnswer, PromptInfo } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { welcome } from '../../connection/connection.ts';
import { prompts } from '../../model/project.ts';
import type { StandStill } from '../../model/waiting.ts';
import { BusyButton } from '../../parts/busy-button.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { useDraft } from '../../parts/drafts.ts';
import { FullText } from '../../parts/full-text.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { tell } from '../../parts/notices.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Ago, now, timeOfEnd } from '../../parts/time.tsx';
import { linkTo } from '../../routes.ts';
import { hasTerminal } from '../../terminals/live-terminals.ts';
import { answerPrompt, answerQuestion, decideCall, markDone, settleHeld, undoDone } from './deeds.ts';
import { isSelectable, selection, toggle } from './selection.ts';
import { shownUpTo, type WaitingItem } from './waiting-list.ts';

/** An item in full, with the buttons that help. */
export function Shown({ item }: { item: WaitingItem }) {
  switch (item.kind) {
    case 'question':
      return <Question item={item} question={item.question} />;
    case 'consent':
      return <Consent item={item} question={item.question} />;
    case 'stopped':
      return <Stopped item={item} stopped={item.stopped} />;
    case 'held':
      return <Held item={item} messages={item.messages} />;
  }
}

/** A collapsed item: its title, and a button to open it. */
export const Line = ({ item, onOpen }: { item: WaitingItem; onOpen: () => void }) => (
  <li class="waiting-line" data-row>
    <Choice item={item} />
    <button type="button" class="quiet" aria-expanded="false" onClick={onOpen}>
      <span class="clip">
        <strong>{item.title}</strong> {safeLine(item.text)}
      </span>
      <Icon name="down" />
    </button>
  </li>
);

/** Selects the item. Hidden until the person selects: its key begins that. */
const Choice = ({ item }: { item: WaitingItem }) =>
  isSelectable(item) ? (
    <label class="choice-box" hidden={selection.value === undefined}>
      <input
        type="checkbox"
        aria-label={`Select: ${item.title}`}
        aria-keyshortcuts="x"
        checked={selection.value?.has(item.id) ?? false}
        onChange={() => toggle(item)}
      />
    </label>
  ) : null;

function Item({
  item,
  icon,
  tone,
  head,
  advice,
  isShort = false,
  children,
}: {
  item: WaitingItem;
  icon: IconName;
  tone: 'ask' | 'stop' | 'hold';
  head: ComponentChildren;
  /** What the person can do. */
  advice?: string;
  /** Nothing to read: the buttons go beside the head if there is room. */
  isShort?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <li
      class={`waiting-item is-${tone}`}
      data-row
      tabIndex={-1}
      onKeyDown={(event) => {
        const { key, target, currentTarget } = event;
        if (key === 'Escape') currentTarget.focus();
        if (key !== 'Enter' || target !== currentTarget) return;
        currentTarget.querySelector<HTMLElement>(':is(.answer, .buttons) > *')?.focus();
        // The control that has the focus now would take the key as its own.
        event.preventDefault();
      }}
    >
      <Choice item={item} />
      {!(selection.value && isSelectable(item)) && (
        <span class="waiting-icon">
          <Icon name={icon} />
        </span>
      )}
      <div class={isShort ? 'waiting-body is-short' : 'waiting-body'}>
        <div class="waiting-head">
          <p>{head}</p>
          {advice && <p class="muted">{advice}</p>}
        </div>
        {children}
      </div>
    </li>
  );
}

/** Leads to an agent, or to a channel. */
const NameLink = ({ name }: { name: string }) => {
  const [place, subject] = name.startsWith('#')
    ? (['channel', name.slice(1)] as const)
    : (['agent', name] as const);
  return (
    <a class="name" href={linkTo(welcome.value?.project ?? '', place, subject)}>
      {name}
    </a>
  );
};

function Question({ item, question }: { item: WaitingItem; question: HistoryMessage }) {
  const { id, from, content, ts, channel, awaitsReply } = question;
  const answer = useDraft(id);
  const isSending = useSignal(false);
  const send = async () => {
    const text = answer.value.trim();
    if (text === '' || isSending.peek()) return;
    isSending.value = true;
    try {
      await answerQuestion(question, text);
      answer.value = '';
      tell(`Answered ${from}.`);
    } finally {
      isSending.value = false;
    }
  };
  const done = async () => {
    await markDone(question);
    tell(`Marked the question of ${from} as done.`, () => undoDone(question));
  };
  return (
    <Item
      item={item}
      icon="question"
      tone="ask"
      head={
        <>
          <NameLink name={from} /> asks{channel && <> in {channel}</>}
          <span class="muted">
            {' '}
            · <Ago time={ts} />
            {awaitsReply && ' · waiting for the answer'}
          </span>
        </>
      }
    >
      <FullText text={content} label={`The question of ${from}`} />
      <form
        class="answer"
        onSubmit={(event) => {
          event.preventDefault();
          send().catch(tell);
        }}
      >
        <input
          aria-label={`Answer ${from}`}
          aria-keyshortcuts="r"
          placeholder="Write an answer"
          value={answer.value}
          onInput={({ currentTarget }) => {
            answer.value = currentTarget.value;
          }}
        />
        <button type="submit" class="primary" aria-busy={isSending.value}>
          Answer
        </button>
        <BusyButton onPress={done} kind="quiet" label={`Mark the question of ${from} as done`}>
          Done
        </BusyButton>
      </form>
    </Item>
  );
}

/** The relay itself asks only one thing: consent to a call. */
function Consent({ item, question }: { item: WaitingItem; question: HistoryMessage }) {
  const { content, ts } = question;
  const isReady = useSettled(shownUpTo(item.id));
  const answer = async (wanted: PromptAnswer) => {
    await decideCall(question, wanted);
    tell(wanted === 'allow' ? 'Allowed the call.' : 'Denied the call.');
  };
  return (
    <Item
      item={item}
      icon="question"
      tone="ask"
      head={
        <>
          A call needs your consent
          <span class="muted">
            {' '}
            · <Ago time={ts} />
          </span>
        </>
      }
    >
      <FullText text={content} label="The call" isCode />
      <div class="buttons">
        <BusyButton kind="primary" isReady={isReady} onPress={() => answer('allow')} label="Allow the call">
          Allow
        </BusyButton>
        <BusyButton isReady={isReady} onPress={() => answer('deny')} label="Deny the call">
          Deny
        </BusyButton>
      </div>
    </Item>
  );
}

const TONES: Record<string, IconName> = {
  approval_dialog: 'dialog',
  usage_limit: 'pause',
  starting: 'dialog',
};

/** Answers the prompt the person sees, unless it has changed. */
function PromptButtons({ prompt, item }: { prompt: PromptInfo; item: WaitingItem }) {
  const isReady = useSettled(shownUpTo(item.id));
  const answer = async (wanted: PromptAnswer) => {
    await answerPrompt(prompt, wanted);
    tell(wanted === 'allow' ? `Allowed ${prompt.agent}.` : `Denied ${prompt.agent}.`);
  };
  return (
    <>
      <BusyButton
        kind="primary"
        isReady={isReady}
        onPress={() => answer('allow')}
        label={`Allow ${prompt.agent}, once`}
      >
        Allow
      </BusyButton>
      <BusyButton isReady={isReady} onPress={() => answer('deny')} label={`Deny ${prompt.agent}`}>
        Deny
      </BusyButton>
    </>
  );
}

/** Reasons for which a message helps: the agent gets it at once, or when the limit is reset. */
const TAKES_A_WORD: ReadonlySet<string> = new Set(['usage_limit', 'interrupted']);

function Stopped({ item, stopped }: { item: WaitingItem; stopped: StandStill }) {
  const { agent, code, text, advice, since, until } = stopped;
  const project = welcome.value?.project ?? '';
  const prompt = code === 'approval_dialog' ? prompts.value.get(agent.name) : undefined;
  return (
    <Item
      item={item}
      icon={TONES[code] ?? 'alert'}
      tone="stop"
      advice={prompt ? 'Check what it asks for.' : advice}
      isShort={prompt === undefined}
      head={
        <>
          <NameLink name={agent.name} />: {safeLine(text)}
          <span class="muted">
            {' '}
            · <Ago time={since} />
            {until !== undefined && ` · until ${timeOfEnd(until, now.value)}`}
          </span>
        </>
      }
    >
      {prompt && <FullText text={prompt.text} label={`What ${agent.name} asks for`} isCode />}
      <div class="buttons">
        {prompt && <PromptButtons prompt={prompt} item={item} />}
        {hasTerminal(agent) ? (
          <a class="button" href={linkTo(project, 'terminal', agent.name)}>
            <Icon name="terminal" /> Open terminal
          </a>
        ) : (
          <a class="button" href={linkTo(project, 'agent', agent.name)}>
            Open agent
          </a>
        )}
        {TAKES_A_WORD.has(code) && (
          <a class="button" href={linkTo(project, 'direct', agent.name)}>
            <Icon name="dialog" /> Message
          </a>
        )}
      </div>
    </Item>
  );
}

function Held({ item, messages }: { item: WaitingItem; messages: HeldInfo[] }) {
  const [first] = messages;
  if (!first) return null;
  const ids = messages.map(({ id }) => id);
  const settle = async (how: 'release' | 'discard') => {
    const settled = await settleHeld(ids, how);
    const what = how === 'release' ? 'Released' : 'Discarded';
    tell(`${what} ${settled} ${settled === 1 ? 'message' : 'messages'}.`);
  };
  return (
    <Item
      item={item}
      icon="loop"
      tone="hold"
      head={
        <>
          <NameLink name={first.from} /> → <NameLink name={first.to} />: {messages.length}{' '}
          {messages.length === 1 ? 'message' : 'messages'} held
          <span class="muted">
            {' '}
            · {first.reason} · <Ago time={first.heldAt} />
          </span>
        </>
      }
    >
      <ul class="held">
        {messages.slice(0, 3).map(({ id, content }) => (
          <li key={id}>{safeLine(content)}</li>
        ))}
        {messages.length > 3 && <li class="muted">and {messages.length - 3} more</li>}
      </ul>
      <div class="buttons">
        <BusyButton onPress={() => settle('release')}>Release</BusyButton>
        <ConfirmButton
          kind="quiet"
          question={`Discard ${messages.length === 1 ? 'it' : 'them'}?`}
          onPress={() => settle('discard')}
        >
          Discard
        </ConfirmButton>
      </div>
    </Item>
  );
}
