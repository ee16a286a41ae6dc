import type { HeldInfo, HistoryMessage, PromptAnswer, PromptInfo } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { prompts } from '../model/project.ts';
import { DONE, type StandStill } from '../model/waiting.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FullText } from '../parts/full-text.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { Ago, now, timeOfEnd } from '../parts/time.tsx';
import { linkTo } from '../routes.ts';
import { hasTerminal } from '../terminals/live-terminals.ts';
import { fold } from './folding.ts';
import { type WaitingItem, waitingItems, wantedItem } from './waiting-list.ts';

/** Text of one line, in the block of an item. */
const COLUMNS = { desk: 100, phone: 42 };
const LINE = 20;
/** The block of a long text has so many lines. */
const MOST_LINES = 12;
/** The head, the buttons and what is around them. */
const FRAME = 104;
/** An item with nothing but a head and buttons beside it. */
const SHORT = 74;
/** Height of the rest above the agents, and of some agents. */
const OTHERS = 385;

function heightOf(item: WaitingItem): number {
  if (item.kind === 'held') return FRAME + LINE * Math.min(item.messages.length, 4);
  const prompt = item.kind === 'stopped' ? prompts.value.get(item.stopped.agent.name)?.text : item.text;
  const columns = innerWidth > 760 ? COLUMNS.desk : COLUMNS.phone;
  const lines = (prompt ?? '').split('\n', MOST_LINES).map((line) => Math.ceil((line.length || 1) / columns));
  const count = prompt === undefined ? 0 : lines.reduce((sum, more) => sum + more, 0);
  if (item.kind === 'stopped' && count === 0) return innerWidth > 760 ? SHORT : FRAME + LINE;
  return FRAME + LINE * Math.min(count, MOST_LINES);
}

/** What waits for the person, each with the buttons that help. */
export function Waiting() {
  const before = useRef<ReadonlySet<string>>(new Set());
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const showsAll = useSignal(false);
  const items = waitingItems.value;
  useEffect(() => {
    const wanted = wantedItem.value;
    if (wanted === undefined) return;
    wantedItem.value = undefined;
    chosen.value = new Set([...chosen.value, wanted]);
  }, [wantedItem.value]);
  if (items.length === 0)
    return (
      <p class="all-clear">
        <Icon name="check" /> Nothing waits for you.
      </p>
    );
  const heights = items.map((item) => ({ id: item.id, height: heightOf(item) }));
  const room = Math.max(innerHeight - OTHERS, 300);
  const { open, lines, hidden } = fold(heights, { room, before: before.current, chosen: chosen.value });
  before.current = new Set([...open].filter((id) => !chosen.value.has(id)));
  const isFolded = open.size < items.length;
  return (
    <section class="waiting" aria-labelledby="waiting">
      <header class="waiting-title">
        <h2 id="waiting">
          Waiting for you <span class="count">{items.length}</span>
        </h2>
        {(isFolded || showsAll.value) && (
          <button
            type="button"
            class="quiet"
            aria-expanded={showsAll.value}
            onClick={() => {
              showsAll.value = !showsAll.value;
              chosen.value = new Set();
            }}
          >
            {showsAll.value ? 'Show less' : 'Show all'}
          </button>
        )}
      </header>
      <ul class="waiting-list">
        {items.map((item) =>
          showsAll.value || open.has(item.id) ? (
            <Shown key={item.id} item={item} />
          ) : (
            lines.has(item.id) && (
              <Line
                key={item.id}
                item={item}
                onOpen={() => {
                  chosen.value = new Set([...chosen.value, item.id]);
                }}
              />
            )
          ),
        )}
        {!showsAll.value && hidden > 0 && <li class="waiting-rest muted">and {hidden} more</li>}
      </ul>
    </section>
  );
}

function Shown({ item }: { item: WaitingItem }) {
  switch (item.kind) {
    case 'question':
      return <Question question={item.question} />;
    case 'consent':
      return <Consent question={item.question} />;
    case 'stopped':
      return <Stopped stopped={item.stopped} />;
    case 'held':
      return <Held messages={item.messages} />;
  }
}

/** A collapsed item: its title, and a button to open it. */
const Line = ({ item: { title, text }, onOpen }: { item: WaitingItem; onOpen: () => void }) => (
  <li class="waiting-line" data-row>
    <button type="button" class="quiet" aria-expanded="false" onClick={onOpen}>
      <span class="clip">
        <strong>{title}</strong> {text}
      </span>
      <Icon name="down" />
    </button>
  </li>
);

function Item({
  icon,
  tone,
  head,
  advice,
  isShort = false,
  children,
}: {
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
      <span class="waiting-icon">
        <Icon name={icon} />
      </span>
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

const AgentLink = ({ name }: { name: string }) => (
  <a class="name" href={linkTo(welcome.value?.project ?? '', 'agent', name)}>
    {name}
  </a>
);

function Question({ question }: { question: HistoryMessage }) {
  const answer = useSignal('');
  const { id, from, content, ts, channel, awaitsReply } = question;
  const send = async () => {
    const text = answer.value.trim();
    if (text === '') return;
    await relay().reply(id, text);
    await relay().read(id, { path: 'pull' });
    answer.value = '';
    tell(`Answered ${from}.`);
  };
  const done = async () => {
    await relay().react(id, DONE);
    await relay().read(id, { path: 'pull' });
    tell(`Marked the question of ${from} as done.`, () => relay().unreact(id, DONE));
  };
  return (
    <Item
      icon="question"
      tone="ask"
      head={
        <>
          <AgentLink name={from} /> asks{channel && <> in {channel}</>}
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
          placeholder="Write an answer"
          value={answer.value}
          onInput={({ currentTarget }) => {
            answer.value = currentTarget.value;
          }}
        />
        <button type="submit" class="primary">
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
function Consent({ question: { id, content, ts } }: { question: HistoryMessage }) {
  const answer = async (text: 'yes' | 'no') => {
    await relay().reply(id, text);
    await relay().read(id, { path: 'pull' });
    tell(text === 'yes' ? 'Allowed the call.' : 'Denied the call.');
  };
  return (
    <Item
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
        <BusyButton kind="primary" onPress={() => answer('yes')} label="Allow the call">
          Allow
        </BusyButton>
        <BusyButton onPress={() => answer('no')} label="Deny the call">
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
function PromptButtons({ prompt }: { prompt: PromptInfo }) {
  const answer = async (wanted: PromptAnswer) => {
    try {
      await relay().prompts.answer(prompt, wanted);
      tell(wanted === 'allow' ? `Allowed ${prompt.agent}.` : `Denied ${prompt.agent}.`);
    } finally {
      await model.value?.readPrompts();
    }
  };
  return (
    <>
      <BusyButton kind="primary" onPress={() => answer('allow')} label={`Allow ${prompt.agent}, once`}>
        Allow
      </BusyButton>
      <BusyButton onPress={() => answer('deny')} label={`Deny ${prompt.agent}`}>
        Deny
      </BusyButton>
    </>
  );
}

/** Reasons for which a message helps: the agent gets it at once, or when the limit is reset. */
const TAKES_A_WORD: ReadonlySet<string> = new Set(['usage_limit', 'interrupted']);

function Stopped({ stopped: { agent, code, text, advice, since, until } }: { stopped: StandStill }) {
  const project = welcome.value?.project ?? '';
  const prompt = code === 'approval_dialog' ? prompts.value.get(agent.name) : undefined;
  return (
    <Item
      icon={TONES[code] ?? 'alert'}
      tone="stop"
      advice={prompt ? 'Check what it asks for.' : advice}
      isShort={prompt === undefined}
      head={
        <>
          <AgentLink name={agent.name} />: {text}
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
        {prompt && <PromptButtons prompt={prompt} />}
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

function Held({ messages }: { messages: HeldInfo[] }) {
  const [first] = messages;
  if (!first) return null;
  const ids = messages.map(({ id }) => id);
  const settle = async (work: Promise<number>, what: string) => {
    const settled = await work;
    await model.value?.readHeld();
    tell(`${what} ${settled} ${settled === 1 ? 'message' : 'messages'}.`);
  };
  return (
    <Item
      icon="loop"
      tone="hold"
      head={
        <>
          <AgentLink name={first.from} /> → <AgentLink name={first.to} />: {messages.length}{' '}
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
          <li key={id}>{content}</li>
        ))}
        {messages.length > 3 && <li class="muted">and {messages.length - 3} more</li>}
      </ul>
      <div class="buttons">
        <BusyButton onPress={() => settle(relay().held.release(ids), 'Released')}>Release</BusyButton>
        <ConfirmButton
          kind="quiet"
          question={`Discard ${messages.length === 1 ? 'it' : 'them'}?`}
          onPress={() => settle(relay().held.discard(ids), 'Discarded')}
        >
          Discard
        </ConfirmButton>
      </div>
    </Item>
  );
}
