import { effect, signal } from '@preact/signals';
import { questions, stopped } from '../overview/waiting-list.ts';

const KEY = 'agent-relay.notifications';

/** Whether the person wants to be told when the page is not in front of them. */
export const wantsNotifications = signal(localStorage.getItem(KEY) === 'on');

export const canNotify = 'Notification' in window;

export async function setNotifications(wanted: boolean): Promise<void> {
  const isAllowed = wanted && (await Notification.requestPermission()) === 'granted';
  wantsNotifications.value = isAllowed;
  localStorage.setItem(KEY, isAllowed ? 'on' : 'off');
}

/** What was there when the page was opened is not news. */
let known: Set<string> | undefined;

/** Tells of questions and of agents that stand still, once each. */
effect(() => {
  const waiting = [
    ...questions.value.map(({ id, from, content }) => ({ id, title: `${from} asks`, body: content })),
    ...stopped.value.map(({ agent, code, text, since }) => ({
      id: `${agent.name} ${code} ${since}`,
      title: `${agent.name} waits for you`,
      body: text,
    })),
  ];
  const fresh = known === undefined ? [] : waiting.filter(({ id }) => !known?.has(id));
  known = new Set([...(known ?? []), ...waiting.map(({ id }) => id)]);
  if (!canNotify || !wantsNotifications.peek() || document.hasFocus()) return;
  for (const { id, title, body } of fresh) {
    const notification = new Notification(title, { body: body.slice(0, 200), tag: id });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  }
});
