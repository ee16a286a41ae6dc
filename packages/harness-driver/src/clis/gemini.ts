import type { CliAdapter } from './adapter.ts';
import { geminiConversation } from './gemini-conversation.ts';
import { geminiResumption } from './gemini-resumption.ts';
import { geminiScreen } from './gemini-screen.ts';

export const gemini: CliAdapter = {
  word: 'gemini',
  proven: ['0.61.0'],
  // It reads servers from settings files only; the only one we can set is the system file.
  configure: async () => ({ args: [], env: {} }),
  resumption: geminiResumption,
  screen: geminiScreen,
  conversation: geminiConversation,
};
