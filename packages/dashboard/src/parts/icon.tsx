/** 16 by 16, one stroke, in the text colour. */
const PATHS = {
  overview: 'M2.5 8.5h4v5h-4zM9.5 2.5h4v11h-4zM2.5 2.5h4v3h-4z',
  channel: 'M6.5 2.5l-1.5 11M11 2.5l-1.5 11M2.8 6h11M2.2 10h11',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.8 13.6c.6-2.6 2.6-4 5.2-4s4.6 1.4 5.2 4',
  group:
    'M6 7.6a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.6 13c.4-2.3 2.1-3.6 4.4-3.6s4 1.3 4.4 3.6M10.6 3a2.4 2.4 0 0 1 0 4.5M11.8 9.6c1.5.4 2.3 1.6 2.6 3.4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM14 14l-3.4-3.4',
  settings: 'M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M9 2.7v3.6h3.6V2.7zM3.4 9.7v3.6H7V9.7z',
  question:
    'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM6.2 6.3c.1-1.1.9-1.7 1.9-1.7s1.8.7 1.8 1.6c0 1.3-1.8 1.4-1.8 2.8M8 11.3v.1',
  pause: 'M5.5 3v10M10.5 3v10',
  loop: 'M3 7a5 5 0 0 1 8.7-3.2L13.5 5.5M13.5 2.5v3h-3M13 9a5 5 0 0 1-8.7 3.2L2.5 10.5M2.5 13.5v-3h3',
  dialog: 'M2 3.5h12v8H8.5L5.5 14v-2.5H2zM5.5 6.5h5M5.5 8.7h3',
  alert: 'M8 2.2l6.3 11.3H1.7zM8 6.5v3.2M8 11.6v.1',
  check: 'M3 8.5l3.4 3.4L13 5',
  close: 'M4 4l8 8M12 4l-8 8',
  send: 'M2.2 13.6l12-5.6-12-5.6 1.6 5.6zM3.8 8h5.4',
  attach: 'M12.6 7.4l-5 5a3 3 0 0 1-4.3-4.3l5.4-5.4a2 2 0 0 1 2.9 2.9l-5.2 5.2a1 1 0 0 1-1.4-1.4l4.5-4.5',
  reply: 'M6.5 3.5L2.5 7.5l4 4M2.5 7.5h6c3 0 5 1.8 5 5',
  smile:
    'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM5.4 9.4c.6 1 1.5 1.6 2.6 1.6s2-.6 2.6-1.6M6 6.2v.1M10 6.2v.1',
  route:
    'M4 5.6a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM12 14a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM4 5.6v3.2c0 2.2 1.2 3.4 3.4 3.4h2.8',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.2h3',
  plug: 'M6 2v3M10 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14',
  program: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  signOut: 'M9.5 2.5h-6v11h6M6.5 8h7.5M11.5 5.5L14 8l-2.5 2.5',
  file: 'M4 1.8h5.2L12.4 5v9.2H4zM9 2v3.2h3.2',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7L8 4.3M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7L8 11.7',
  plus: 'M8 3v10M3 8h10',
  threads: 'M3 3.5h10M6 8h7M6 12.5h7M3 3.5v9H6M3 8h3',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
