import type { CliAdapter } from './adapter.ts';
import { geminiConversation } from './gemini-conversation.ts';
import { geminiScreen } from './gemini-screen.ts';

export const gemini: CliAdapter = {
  word: 'gemini',
  // It takes servers from its settings files only, and a file of ours only if it is the system administrator's.
  configure: async () => ({ args: [], env: {} }),
  screen: geminiScreen,
  conversation: geminiConversation,
};
