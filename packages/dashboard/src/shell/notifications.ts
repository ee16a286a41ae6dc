import { effect, signal } from '@preact/signals';
import { welcome } from '../connection/connection.ts';
import type { WaitingItem } from '../overview/waiting/waiting-item.ts';
import { placeOfItem, wantedItem } from '../overview/waiting/waiting-list.ts';
import { linkTo } from '../routes.ts';
import { news } from './news.tsx';

const KEY = 'agent-relay.notifications';
const MOST_SHOWN = 200;

const CANNOT =
  'This browser does not support notifications from pages. For a phone, use hooks.question in the daemon’s settings.';
const INSECURE =
  'Browsers allow notifications only over https or from this machine. Open the dashboard that way, or use hooks.question in the daemon’s settings.';
const REFUSED =
  'The browser blocks notifications from this page. Allow them in its site settings, then turn them on here.';

/** Whether the person wants notifications while the page is hidden. */
export const wantsNotifications = signal(localStorage.getItem(KEY) === 'on');

/** Why there are none, although the person wants them. */
export const notificationProblem = signal(lasting());

/** Reasons the person cannot change here. */
function lasting(): string | undefined {
  if (!isSecureContext) return INSECURE;
  return 'Notification' in window ? undefined : CANNOT;
}

export async function setNotifications(wanted: boolean): Promise<void> {
  notificationProblem.value = lasting();
  if (wanted && notificationProblem.value === undefined) {
    if ((await Notification.requestPermission()) !== 'granted') notificationProblem.value = REFUSED;
    else notify('Notifications are on', { body: 'You will be notified when an agent waits for you.' });
  }
  keep(wanted && notificationProblem.value === undefined);
}

function keep(wanted: boolean): void {
  wantsNotifications.value = wanted;
  localStorage.setItem(KEY, wanted ? 'on' : 'off');
}

/** Some browsers offer notifications, and then refuse to make one: Chrome on Android does. */
function notify(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    notificationProblem.value = CANNOT;
    keep(false);
    return undefined;
  }
}

/** Opens what waits. */
function open(item: WaitingItem): void {
  window.focus();
  wantedItem.value = item.id;
  location.hash = linkTo(welcome.value?.project ?? '', ...placeOfItem(item));
}

// Held messages wait without harm.
effect(() => {
  const items = news.value.filter(({ kind }) => kind !== 'held');
  if (!wantsNotifications.peek() || notificationProblem.peek() || document.hasFocus()) return;
  for (const item of items) {
    const notification = notify(item.title, { body: item.text.slice(0, MOST_SHOWN), tag: item.id });
    if (!notification) return;
    notification.onclick = () => {
      open(item);
      notification.close();
    };
  }
});
