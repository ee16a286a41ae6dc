import type { HistoryMessage, PromptInfo } from '@agent-relay/sdk';
import { welcome } from '../../../connection/connection.ts';
import { Decision } from '../../../parts/decision.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { linkTo } from '../../../routes.ts';
import { answerPrompt, decideCall } from '../deeds.ts';
import type { WaitingItem } from '../waiting-item.ts';
import { ItemFrame, NameLink } from './item-frame.tsx';

/** A call that the person has to allow. */
export const Consent = ({
  item,
  question,
  caller,
  shown,
}: {
  item: WaitingItem;
  question: HistoryMessage;
  caller: string;
  shown: string;
}) => (
  <ItemFrame
    item={item}
    icon="question"
    tone="allow"
    head={
      <>
        A call of <NameLink name={caller} /> needs your consent
      </>
    }
  >
    <Decision
      text={item.text}
      what="The call"
      labels={{ allow: 'Allow the call', deny: 'Deny the call' }}
      shown={shown}
      decide={(answer) => decideCall(question, answer)}
    />
  </ItemFrame>
);

/** What an agent asks its CLI's user for. */
export const Permission = ({
  item,
  prompt,
  shown,
}: {
  item: WaitingItem;
  prompt: PromptInfo;
  shown: string;
}) => (
  <ItemFrame
    item={item}
    icon="dialog"
    tone="allow"
    head={
      <>
        <NameLink name={prompt.agent} /> asks for permission
      </>
    }
  >
    <Decision
      key={prompt.digest}
      text={prompt.text}
      what={`What ${prompt.agent} asks for`}
      labels={{ allow: `Allow ${prompt.agent}, once`, deny: `Deny ${prompt.agent}` }}
      shown={shown}
      decide={(answer) => answerPrompt(prompt, answer)}
    >
      <a class="button" href={linkTo(welcome.value?.project ?? '', 'terminal', prompt.agent)}>
        <Icon name="terminal" /> Open terminal
      </a>
    </Decision>
  </ItemFrame>
);
