import { safeLine } from '@agent-relay/protocol';
import { welcome } from '../../../connection/connection.ts';
import type { StandStill } from '../../../model/waiting.ts';
import { Icon, type IconName } from '../../../parts/icon.tsx';
import { now, timeOfEnd } from '../../../parts/time.tsx';
import { linkTo } from '../../../routes.ts';
import { hasTerminal } from '../../../terminals/live-terminals.ts';
import type { WaitingItem } from '../waiting-item.ts';
import { ItemFrame, NameLink } from './item-frame.tsx';

export const ICONS: Record<string, IconName> = {
  approval_dialog: 'dialog',
  usage_limit: 'pause',
  starting: 'dialog',
};

/** Reasons for which a message helps: the agent gets it at once, or when the limit is reset. */
const TAKES_A_WORD: ReadonlySet<string> = new Set(['usage_limit', 'interrupted']);

/** An agent that stands still until somebody acts in its terminal, or for a time. */
export function Stopped({ item, stopped }: { item: WaitingItem; stopped: StandStill }) {
  const { agent, code, text, advice, until } = stopped;
  const project = welcome.value?.project ?? '';
  return (
    <ItemFrame
      item={item}
      icon={ICONS[code] ?? 'alert'}
      tone="stop"
      advice={advice}
      isShort
      head={
        <>
          <NameLink name={agent.name} />: {safeLine(text)}
        </>
      }
      notes={until === undefined ? [] : [`until ${timeOfEnd(until, now.value)}`]}
    >
      <div class="buttons">
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
    </ItemFrame>
  );
}
