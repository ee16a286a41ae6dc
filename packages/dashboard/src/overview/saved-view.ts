import { effect } from '@preact/signals';
import { route, showView } from '../routes.ts';
import { type Grouping, grouping, type Show, show, words } from './agent-filter.ts';
import { order, orderOfText, textOfOrder } from './agent-order.ts';

const STORED_AS = 'agent-relay.overview';
const SHOWS: readonly Show[] = ['all', 'needs-you', 'active', 'idle', 'offline'];
const GROUPINGS: readonly Grouping[] = ['none', 'parent', 'cli'];

/** Keeps the filter, grouping and order of the overview: in the URL, to share it, and in this browser, for the next visit. */
export function keepView(): () => void {
  const stopReading = effect(() => {
    const { place, view } = route.value;
    if (place !== 'overview') return;
    read(new URLSearchParams(view ?? localStorage.getItem(STORED_AS) ?? ''));
  });
  const stopWriting = effect(() => {
    const view = new URLSearchParams();
    if (show.value !== 'all') view.set('show', show.value);
    if (grouping.value !== 'none') view.set('group', grouping.value);
    if (order.value) view.set('sort', textOfOrder(order.value));
    const lasting = String(view);
    if (words.value !== '') view.set('filter', words.value);
    if (route.peek().place !== 'overview') return;
    // Without the filter text: on the next visit it would hide agents unexpectedly.
    localStorage.setItem(STORED_AS, lasting);
    showView(String(view));
  });
  return () => {
    stopReading();
    stopWriting();
  };
}

function read(view: URLSearchParams): void {
  show.value = SHOWS.find((one) => one === view.get('show')) ?? 'all';
  grouping.value = GROUPINGS.find((one) => one === view.get('group')) ?? 'none';
  order.value = orderOfText(view.get('sort') ?? '');
  words.value = view.get('filter') ?? '';
}
