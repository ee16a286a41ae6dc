import type { CliAdapter } from './adapter.ts';
import { geminiConversation } from './gemini-conversation.ts';
import { geminiResumption } from './gemini-resumption.ts';
import { geminiScreen } from './gemini-screen.ts';

export const gemini: CliAdapter = {
  word: 'gemini',
  // It takes servers from its settings files only, and a file of ours only if it is the system administrator's.
  configure: async () => ({ args: [], env: {} }),
  resumption: geminiResumption,
  screen: geminiScreen,
  conversation: geminiConversation,
};
