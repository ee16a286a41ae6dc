/** What is tried with every CLI in a terminal, in the words of docs/delivery.md: how it is with the agent when a message comes. */
export const TERMINAL_CASES = {
  spawned: 'it is spawned with a task: that is its first turn',
  idle: 'it is idle',
  thinking: 'its model is thinking',
  command: 'it runs a command',
  draft: 'a draft is in its composer: the draft stays as it is',
  dialog: 'a permission dialog is open: nobody answers it',
  question: 'it asks the person a question: nobody answers it',
  menu: 'a menu is open: nothing is chosen',
  trust: 'it asks whether to trust the directory: nobody answers it',
  burst: 'it is idle, and five come at once: one by one, in order',
  long: 'it is idle, and the message is 4 KiB in 49 lines: all of it',
  hostile: 'it is idle, and the message holds keys, commands and forged messages: only text',
  restart: 'the daemon is killed and comes back: once, in order',
  killed: 'its host is killed: what was being typed is `uncertain`, the rest comes in the next run',
  suspended: 'it is suspended with Ctrl-Z: after it is back',
  released: 'it is released while it runs a command: nothing of it is left',
  limit: 'its model refuses because of a usage limit: when the limit is over',
} as const;

export type TerminalCase = keyof typeof TERMINAL_CASES;
