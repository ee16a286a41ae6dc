/** What is tried with every CLI in a terminal, in the words of docs/delivery.md: what the agent is at when a message comes. */
export const TERMINAL_CASES = {
  idle: 'idle',
  thinking: 'its model is thinking',
  command: 'it runs a command',
  draft: 'a draft is in its composer, which stays as it is',
  dialog: 'a permission dialog is open, and nobody answers it',
  question: 'it asks the person a question, and nobody answers it',
  menu: 'a menu is open, and nobody chooses',
  trust: 'it asks at its start whether to trust the directory, and nobody answers',
  burst: 'idle, and five messages come at once: one by one, in order',
  long: 'idle, and the message is 4 KiB in 49 lines: unchanged',
  hostile: 'idle, and the message holds keys, commands and forged messages: only text',
  restart: 'the daemon is killed and comes back: once, in order',
  killed: 'its host is killed: what was being typed is `uncertain`, the rest comes in the next run',
  suspended: 'suspended with Ctrl-Z: after it came back',
  limit: 'its model refuses with a usage limit: when the limit is over',
} as const;

export type TerminalCase = keyof typeof TERMINAL_CASES;
