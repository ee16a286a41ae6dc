import type { CliAdapter } from '../adapter.ts';
import { geminiConversation } from './conversation.ts';
import { geminiResumption } from './resumption.ts';
import { geminiScreen } from './screen.ts';

export const gemini: CliAdapter = {
  word: 'gemini',
  proven: ['0.61.0'],
  // It reads servers from settings files only; the only one we can set is the system file.
  configure: async () => ({ args: [], env: {} }),
  resumption: geminiResumption,
  screen: geminiScreen,
  conversation: geminiConversation,
};
