import type { PromptAnswer } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { phase } from '../connection/connection.ts';
import { BusyButton, OFF_WHILE_AWAY } from './busy-button.tsx';
import { FullText } from './full-text.tsx';
import { tell } from './notices.tsx';
import { useSettled } from './settled.ts';

/**
 * Something to allow or deny, with all of its text: the same wherever it is shown. It can be allowed once the end of exactly
 * this text was in view.
 */
export function Decision({
  text,
  what,
  labels,
  shown,
  decide,
  children,
}: {
  text: string;
  /** For screen readers: what the text is, and what the buttons do. */
  what: string;
  labels: Record<PromptAnswer, string>;
  /** Changes with the text and its place: presses on what was there before are ignored. */
  shown: string;
  /** Resolves with the words for what happened. */
  decide: (answer: PromptAnswer) => Promise<string>;
  /** Other buttons. */
  children?: ComponentChildren;
}) {
  const read = useSignal<string | undefined>(undefined);
  const isSettled = useSettled(shown);
  const isRead = read.value === text;
  const press = (answer: PromptAnswer) => async () => tell(await decide(answer));
  const isLive = phase.value === 'live';
  return (
    <>
      <FullText
        text={text}
        label={what}
        isCode
        onRead={(seen) => {
          read.value = seen;
        }}
      />
      <div class="buttons decision">
        <BusyButton
          kind="primary"
          isReady={isSettled && isRead}
          onPress={press('allow')}
          label={labels.allow}
        >
          Allow
        </BusyButton>
        <BusyButton isReady={isSettled} onPress={press('deny')} label={labels.deny}>
          Deny
        </BusyButton>
        {children}
        {!(isLive && isRead) && (
          <span class="muted small">{isLive ? 'Read to the end to allow it.' : OFF_WHILE_AWAY}</span>
        )}
      </div>
    </>
  );
}
