import { useRef } from 'preact/hooks';
import { BusyButton } from '../../parts/busy-button.tsx';
import { tell } from '../../parts/notices.tsx';
import { answerPrompt, counted, decideCall, markDone, settleHeld, undoDone } from './deeds.ts';
import { chosenItems, selectable, selection, together } from './selection.ts';

/** What can be done with all that is selected, with a button for each. */
export function SelectionBar() {
  const bar = useRef<HTMLDivElement>(null);
  const { questions, calls, prompts, held } = together.value;
  const denied = calls.length + prompts.length;
  const count = chosenItems.value.length;
  const isAll = count === selectable.value.length;
  // The pressed button goes away with what it settled.
  const thenFocus = (work: () => Promise<unknown>) => async () => {
    await work();
    bar.current?.querySelector('input')?.focus();
  };
  return (
    <div class="selection-bar" ref={bar} role="toolbar" aria-label="Selected items">
      <label>
        <span class="choice-box">
          <input
            type="checkbox"
            checked={isAll}
            indeterminate={count > 0 && !isAll}
            onChange={() => {
              selection.value = new Set(isAll ? [] : selectable.value.map(({ id }) => id));
            }}
          />
        </span>
        {count === 0 ? 'Select all' : `${count} selected`}
      </label>
      <div class="buttons push-right">
        {questions.length > 0 && (
          <BusyButton onPress={thenFocus(() => markAllDone(questions))}>
            Mark {questions.length} as done
          </BusyButton>
        )}
        {denied > 0 && (
          <BusyButton onPress={thenFocus(() => denyAll(calls, prompts))}>Deny {denied}</BusyButton>
        )}
        {held.length > 0 && (
          <BusyButton onPress={thenFocus(() => deliverAll(held))}>
            Deliver {counted(held.length, 'message')}
          </BusyButton>
        )}
      </div>
    </div>
  );
}

type Chosen = typeof together.value;

async function markAllDone(questions: Chosen['questions']): Promise<void> {
  const done = await eachOf(questions, markDone);
  if (done.length > 0)
    tell(`Marked ${counted(done.length, 'question')} as done.`, () => eachOf(done, undoDone));
}

async function denyAll(calls: Chosen['calls'], prompts: Chosen['prompts']): Promise<void> {
  const [some, others] = await Promise.all([
    eachOf(calls, (call) => decideCall(call, 'deny')),
    eachOf(prompts, (prompt) => answerPrompt(prompt, 'deny')),
  ]);
  const denied = some.length + others.length;
  if (denied > 0) tell(`Denied ${counted(denied, 'request')}.`);
}

const deliverAll = async (held: string[]): Promise<void> => tell(await settleHeld(held, 'release'));

/** Does it with each, reports the first error, and returns those it was done with. */
async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<T[]> {
  const results = await Promise.allSettled(all.map(work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) tell(failed.reason);
  return all.filter((_, index) => results[index]?.status === 'fulfilled');
}
