import { useLayoutEffect } from 'preact/hooks';
import { totalOf } from '../model/message-counts.ts';
import { Soon } from '../parts/soon.tsx';
import { counts } from './agent-filter.ts';
import { AgentTable } from './agent-table.tsx';
import { Health } from './health.tsx';
import { ReadingTime } from './reading-time.tsx';
import { keepView } from './saved-view.ts';
import { StartAgent } from './start-agent.tsx';
import { TrafficPicture } from './traffic-picture.tsx';
import { useMessageCounts } from './use-message-counts.ts';
import { Waiting } from './waiting/waiting.tsx';

/** How the agents are, and how much was said: each figure as it is shown below. */
function Summary() {
  const counted = useMessageCounts();
  const messages = counted ? totalOf(counted) : 0;
  const of = counts.value;
  const parts = [
    [of['needs-you'], of['needs-you'] === 1 ? 'needs you' : 'need you'],
    [of.active, 'working'],
    [of.idle, 'idle'],
    [of.offline, 'offline'],
    [messages, messages === 1 ? 'message in the last hour' : 'messages in the last hour'],
  ] as const;
  const shown = parts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${number.toLocaleString()} ${what}`);
  return <p class="muted">{shown.join(' · ') || 'No agent has connected yet'}</p>;
}

/** The first screen: what waits for the person, then everything else. */
export function Overview() {
  useLayoutEffect(keepView, []);
  return (
    <div class="place">
      <header class="place-head">
        <h1>Overview</h1>
        <Summary />
        <StartAgent />
      </header>
      <Waiting />
      <div class="columns">
        <Soon>
          <AgentTable />
        </Soon>
        <div class="column">
          <Soon>
            <TrafficPicture />
          </Soon>
          <Soon>
            <ReadingTime />
          </Soon>
          <Soon>
            <Health />
          </Soon>
        </div>
      </div>
    </div>
  );
}
