import { signal } from '@preact/signals';

const READER_KEY = 'agent-relay.terminal-reader';
const ZOOM_STEP = 1.15;
const MOST_STEPS = 6;

/** Whether the output is available to screen readers, line by line. */
export const readsScreen = signal(localStorage.getItem(READER_KEY) === 'on');

export function setReadsScreen(isOn: boolean): void {
  readsScreen.value = isOn;
  localStorage.setItem(READER_KEY, isOn ? 'on' : 'off');
}

/** The zoom relative to the font size that fits. */
export const zoom = signal(1);
let steps = 0;

export function zoomBy(step: 1 | -1): void {
  steps = Math.max(-MOST_STEPS, Math.min(MOST_STEPS, steps + step));
  zoom.value = ZOOM_STEP ** steps;
}
