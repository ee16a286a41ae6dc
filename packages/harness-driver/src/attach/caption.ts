import type { TerminalState, ViewMode } from '@agent-relay/protocol';
import { fitting } from '../terminal/notice.ts';

export interface CaptionFacts {
  agent: string;
  mode: ViewMode;
  writer?: TerminalState['writer'];
  isHeld: boolean;
}

/** The status line of an attached terminal. In a narrow one, the least important words go first. */
export function captionOf({ agent, mode, writer, isHeld }: CaptionFacts, columns: number): string {
  const doing = mode === 'drive' ? 'driving' : 'watching';
  const also = mode === 'watch' && writer ? WRITERS[writer] : undefined;
  const candidates = [
    [agent, doing, also, isHeld && 'messages held', 'Ctrl-] d detaches'],
    [agent, doing, isHeld && 'messages held', 'Ctrl-] d detaches'],
    [agent, isHeld ? 'messages held' : doing, 'Ctrl-] d detaches'],
    [agent, isHeld ? 'held' : doing, 'Ctrl-] d detaches'],
    [isHeld ? 'held' : doing, 'Ctrl-] d detaches'],
  ].map((parts) => ` ${parts.filter(Boolean).join(' · ')} `);
  return fitting(candidates, columns);
}

const WRITERS = { terminal: 'someone types in its own terminal', viewer: 'someone else types' } as const;
