export interface HookGroup {
  matcher?: string;
  hooks: ReadonlyArray<Readonly<Record<string, string | number | boolean>>>;
}

const forEach = (events: readonly string[], group: HookGroup): Record<string, HookGroup> =>
  Object.fromEntries(events.map((event) => [event, group]));

export const CLAUDE_HOOKS = {
  groups: (command: string) =>
    forEach(['SessionStart', 'UserPromptSubmit', 'Stop'], {
      hooks: [
        {
          type: 'command',
          command,
          // It waits in the background, and what it says when it ends begins a turn.
          asyncRewake: true,
          timeout: 2_000_000,
          rewakeSummary: 'Message from Agent Relay',
          rewakeMessage: 'A message for you:',
        },
      ],
    }),
  note: 'Messages wake an idle session. During a turn they come with the next tool result.',
} as const;

export const CODEX_HOOKS = {
  groups: (command: string) => {
    const hooks = [{ type: 'command', command, timeout: 30 }];
    return {
      ...forEach(['UserPromptSubmit', 'Stop'], { hooks }),
      ...forEach(['PostToolUse'], { matcher: '.*', hooks }),
    };
  },
  note: 'Codex asks you to review the hooks when it starts; until you trust them, they do not run. Messages come at the end of a turn, urgent ones with the next tool result. Nothing wakes an idle session: it gets them with your next prompt.',
} as const;

export const GEMINI_HOOKS = {
  groups: (command: string) => {
    const hooks = [{ name: 'agent-relay', type: 'command', command, timeout: 30_000 }];
    return {
      ...forEach(['BeforeAgent', 'AfterAgent'], { hooks }),
      ...forEach(['AfterTool'], { matcher: '.*', hooks }),
    };
  },
  note: 'Messages come at the end of a turn, urgent ones with the next tool result. Nothing wakes an idle session: it gets them with your next prompt.',
} as const;
