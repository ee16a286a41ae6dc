import type { HistoryMessage } from '@agent-relay/sdk';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { model } from '../model/current.ts';
import { unread } from '../model/project.ts';
import { tell } from '../parts/notices.tsx';

/** A message is seen if this much of it is in the frame, or if it fills as much of the frame. */
const SEEN = 0.5;
const STEPS = [0, 0.1, 0.2, 0.3, 0.4, SEEN, 0.75, 1];

const isSeen = ({ intersectionRatio, intersectionRect, rootBounds }: IntersectionObserverEntry): boolean =>
  intersectionRatio >= SEEN ||
  intersectionRect.height >= SEEN * (rootBounds?.height ?? Number.POSITIVE_INFINITY);

/** Marks messages as read once they were in view while the page was visible. */
export function useReading(frame: RefObject<HTMLElement | null>, messages: readonly HistoryMessage[]): void {
  const inSight = useRef(new Set<string>());
  const unreadNow = unread.value;
  useEffect(() => {
    const waiting = new Map(
      messages.flatMap((message) => (unreadNow.has(message.id) ? [[message.id, message]] : [])),
    );
    if (!frame.current || waiting.size === 0) return;
    const seen = inSight.current;
    const mark = () => {
      if (document.visibilityState !== 'visible') return;
      const read = [...seen].flatMap((id) => waiting.get(id) ?? []);
      if (read.length > 0) model.value?.markRead(read).catch(tell);
    };
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          const id = (entry.target as HTMLElement).id.replace(/^message-/, '');
          if (isSeen(entry)) seen.add(id);
          else seen.delete(id);
        }
        mark();
      },
      { root: frame.current, threshold: STEPS },
    );
    for (const row of frame.current.querySelectorAll('article'))
      if (waiting.has(row.id.replace(/^message-/, ''))) observer.observe(row);
    document.addEventListener('visibilitychange', mark);
    return () => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', mark);
      seen.clear();
    };
  }, [messages, unreadNow]);
}
