import type { HeldInfo, HistoryMessage, PromptAnswer, PromptInfo } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { prompts } from '../model/project.ts';
import { DONE, type StandStill } from '../model/waiting.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { Ago, clockTime } from '../parts/time.tsx';
import { linkTo } from '../routes.ts';
import { hasTerminal } from '../terminals/live-terminals.ts';
import { heldConversations, questions, stopped, waitingCount } from './waiting-list.ts';

/** What waits for the person: each with what helps. */
export function Waiting() {
  if (waitingCount.value === 0)
    return (
      <p class="all-clear">
        <Icon name="check" /> Nothing waits for you.
      </p>
    );
  return (
    <section class="waiting" aria-labelledby="waiting">
      <h2 id="waiting">
        Waiting for you <span class="count">{waitingCount.value}</span>
      </h2>
      <ul class="waiting-list">
        {questions.value.map((question) =>
          question.fromType === 'system' ? (
            <Consent key={question.id} question={question} />
          ) : (
            <Question key={question.id} question={question} />
          ),
        )}
        {stopped.value.map((one) => (
          <Stopped key={one.agent.name} stopped={one} />
        ))}
        {heldConversations.value.map((messages) => (
          <Held key={messages[0]?.id} messages={messages} />
        ))}
      </ul>
    </section>
  );
}

function Item({
  icon,
  tone,
  head,
  children,
}: {
  icon: IconName;
  tone: 'ask' | 'stop' | 'hold';
  head: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <li class={`waiting-item is-${tone}`}>
      <span class="waiting-icon">
        <Icon name={icon} />
      </span>
      <div class="waiting-body">
        <p class="waiting-head">{head}</p>
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
            {awaitsReply && ' · it waits for the answer'}
          </span>
        </>
      }
    >
      <p class="waiting-text">{content}</p>
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

/** The relay itself asks for one thing: whether a call may be made that wants a person's consent. */
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
          A call wants your consent
          <span class="muted">
            {' '}
            · <Ago time={ts} />
          </span>
        </>
      }
    >
      <p class="waiting-text">{content}</p>
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

/** The person's answer to the prompt they see; one that has changed meanwhile gets none. */
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

function Stopped({ stopped: { agent, code, text, advice, since, until } }: { stopped: StandStill }) {
  const prompt = code === 'approval_dialog' ? prompts.value.get(agent.name) : undefined;
  return (
    <Item
      icon={TONES[code] ?? 'alert'}
      tone="stop"
      head={
        <>
          <AgentLink name={agent.name} />: {text}
          <span class="muted">
            {' '}
            · {prompt ? 'Look at what it asks for.' : advice} · <Ago time={since} />
            {until !== undefined && ` · until ${clockTime(until)}`}
          </span>
        </>
      }
    >
      {prompt && <pre class="code prompt">{prompt.text}</pre>}
      {(prompt || hasTerminal(agent)) && (
        <div class="buttons">
          {prompt && <PromptButtons prompt={prompt} />}
          <a class="button" href={linkTo(welcome.value?.project ?? '', 'terminal', agent.name)}>
            <Icon name="terminal" /> Open terminal
          </a>
        </div>
      )}
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
        <BusyButton onPress={() => settle(relay().held.discard(ids), 'Discarded')} kind="quiet">
          Discard
        </BusyButton>
      </div>
    </Item>
  );
}
