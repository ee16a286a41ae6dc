import { computed } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { trafficLog, trafficVersion } from '../model/project.ts';
import { Soon } from '../parts/soon.tsx';
import { now } from '../parts/time.tsx';
import { counts } from './agent-filter.ts';
import { AgentTable } from './agent-table.tsx';
import { Health } from './health.tsx';
import { ReadingTime } from './reading-time.tsx';
import { keepView } from './saved-view.ts';
import { StartAgent } from './start-agent.tsx';
import { TrafficPicture } from './traffic-picture.tsx';
import { Waiting } from './waiting/waiting.tsx';

const HOUR_MS = 3_600_000;

const summary = computed(() => {
  void trafficVersion.value;
  const span = { since: now.value - HOUR_MS, until: now.value, stretches: 1 };
  const [messages = 0] = trafficLog.value.activity(span);
  const parts = [
    [counts.value.active, 'working'],
    [counts.value.idle, 'idle'],
    [counts.value.offline, 'offline'],
    [messages, messages === 1 ? 'message in the last hour' : 'messages in the last hour'],
  ] as const;
  return parts.filter(([number]) => number > 0).map(([number, what]) => `${number.toLocaleString()} ${what}`);
});

/** The first screen: what waits for the person, then everything else. */
export function Overview() {
  useLayoutEffect(keepView, []);
  return (
    <div class="place">
      <header class="place-head">
        <h1>Overview</h1>
        <p class="muted">{summary.value.join(' · ') || 'No agent has connected yet'}</p>
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
