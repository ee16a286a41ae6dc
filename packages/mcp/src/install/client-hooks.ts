import { HOOK_MARK, type HookGroup, withHooks } from './editing/hook-edits.ts';
import { PLUGIN_MARK, withPlugin } from './editing/plugin-edits.ts';
import { type HookStart, hookCommand } from './hook-command.ts';

type Groups = (command: string) => Readonly<Record<string, HookGroup>>;

/** Commands in the client's own hooks. */
const byHooks = (groups: Groups, note: string) => ({
  mark: HOOK_MARK,
  note,
  edit: (file: string, text: string, start?: HookStart) =>
    withHooks(file, text, start && groups(hookCommand(start))),
});

const forEach = (events: readonly string[], group: HookGroup): Record<string, HookGroup> =>
  Object.fromEntries(events.map((event) => [event, group]));

export const CLAUDE_HOOKS = byHooks(
  (command) =>
    forEach(['SessionStart', 'UserPromptSubmit', 'Stop'], {
      hooks: [
        {
          type: 'command',
          command,
          // It waits in the background; its output starts a turn.
          asyncRewake: true,
          timeout: 2_000_000,
          rewakeSummary: 'Message from Agent Relay',
          rewakeMessage: 'A message for you:',
        },
      ],
    }),
  'Messages wake an idle session. During a turn they come with the next tool result.',
);

export const CODEX_HOOKS = byHooks((command) => {
  const hooks = [{ type: 'command', command, timeout: 30 }];
  return {
    ...forEach(['UserPromptSubmit', 'Stop'], { hooks }),
    ...forEach(['PostToolUse'], { matcher: '.*', hooks }),
  };
}, 'Codex asks you to review the hooks when it starts; until you trust them, they do not run. Messages come at the end of a turn, urgent ones with the next tool result. Nothing wakes an idle session: it gets them with your next prompt.');

export const GEMINI_HOOKS = byHooks((command) => {
  const hooks = [{ name: 'agent-relay', type: 'command', command, timeout: 30_000 }];
  return {
    ...forEach(['BeforeAgent', 'AfterAgent'], { hooks }),
    ...forEach(['AfterTool'], { matcher: '.*', hooks }),
  };
}, 'Messages come at the end of a turn, urgent ones with the next tool result. Nothing wakes an idle session: it gets them with your next prompt.');

export const OPENCODE_PLUGIN = {
  mark: PLUGIN_MARK,
  note: 'Messages go to the session on screen, even if it is idle. On the start page they wait for your first prompt.',
  edit: withPlugin,
} as const;
