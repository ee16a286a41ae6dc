import { effect, signal } from '@preact/signals';

/** `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark';
const KEY = 'agent-relay.theme';
const isTheme = (text: string | null): text is Theme =>
  text === 'light' || text === 'dark' || text === 'system';

const stored = localStorage.getItem(KEY);
export const theme = signal<Theme>(isTheme(stored) ? stored : 'system');

effect(() => {
  localStorage.setItem(KEY, theme.value);
  document.documentElement.dataset.theme = theme.value;
});
