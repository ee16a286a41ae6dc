import type { HistoryMessage } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { phase } from '../../../connection/connection.ts';
import { BusyButton, OFF_WHILE_AWAY } from '../../../parts/busy-button.tsx';
import { useDraft } from '../../../parts/drafts.ts';
import { FullText } from '../../../parts/full-text.tsx';
import { tell } from '../../../parts/notices.tsx';
import { onDemand } from '../../../parts/on-demand.tsx';
import { answerQuestion, markDone, noteMention, undoDone } from '../deeds.ts';
import type { WaitingItem } from '../waiting-item.ts';
import { ItemFrame, NameLink } from './item-frame.tsx';

/** What an agent asks, or says to the person by name. */
export function Question({ item, question }: { item: WaitingItem; question: HistoryMessage }) {
  const { id, from, content, channel, awaitsReply } = question;
  const isQuestion = item.kind === 'question';
  const answer = useDraft(id);
  const isSending = useSignal(false);
  const isAway = phase.value !== 'live';
  const send = async () => {
    const text = answer.value.trim();
    if (text === '' || isSending.peek()) return;
    isSending.value = true;
    try {
      tell(await answerQuestion(question, text));
      answer.value = '';
    } finally {
      isSending.value = false;
    }
  };
  const done = async () => {
    if (!isQuestion) return noteMention(question);
    await markDone(question);
    tell(`Marked the question of ${from} as done.`, () => undoDone(question));
  };
  return (
    <ItemFrame
      item={item}
      icon="question"
      tone="ask"
      head={
        <>
          <NameLink name={from} /> {isQuestion ? 'asks' : 'mentions you'}
          {channel && <> in {channel}</>}
        </>
      }
      notes={awaitsReply ? ['waiting for the answer'] : []}
    >
      <Words content={content} label={isQuestion ? `The question of ${from}` : `What ${from} says`} />
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
        <button
          type="submit"
          class="primary"
          aria-busy={isSending.value}
          disabled={isAway}
          title={isAway ? OFF_WHILE_AWAY : undefined}
        >
          Answer
        </button>
        <BusyButton
          onPress={done}
          kind="quiet"
          label={isQuestion ? `Mark the question of ${from} as done` : `Mark the message of ${from} as read`}
        >
          {isQuestion ? 'Done' : 'Mark as read'}
        </BusyButton>
        {isAway && <span class="muted small">{OFF_WHILE_AWAY}</span>}
      </form>
    </ItemFrame>
  );
}

/** Formatted like a message, as soon as what formats them is loaded. */
const Words = ({ content, label }: { content: string; label: string }) => (
  <FullText key={content} text={content} label={label}>
    <Formatted.Part content={content} />
  </FullText>
);

const Formatted = onDemand<{ content: string }>(
  async () => (await import('./formatted-words.tsx')).FormattedWords,
  null,
);
