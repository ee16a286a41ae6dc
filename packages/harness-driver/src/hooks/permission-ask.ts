import type { Duplex } from 'node:stream';
import type { PromptAnswer, PromptAsk } from '@agent-relay/protocol';
import type { OpenPrompt } from '../clis/adapter.ts';
import { commandAsk, openPrompt, toolAsk } from '../clis/open-prompt.ts';
import type { AskedTool } from './hook-report.ts';

/** Tools whose dialog asks for a permission, and for nothing else: not for an answer, a plan or a choice. */
const PERMITTED = /^(Bash|Write|Edit|MultiEdit|NotebookEdit|Read|Glob|Grep|WebFetch|WebSearch|mcp__.+)$/;

/**
 * A hook process that the CLI started beside its permission dialog. The first answer counts: from the person at the dialog
 * or from the process. A released process says nothing, and the dialog stays.
 */
export class PermissionAsk {
  #open: { socket: Duplex; prompt: OpenPrompt } | undefined;
  #count = 0;
  /** The process has gone. */
  onGone: () => void = () => undefined;

  /**
   * Keeps the process of a prompt that can be answered from elsewhere. Without a tool, or if another prompt is already open,
   * it is unclear which dialog is on the screen: all are left to the terminal.
   */
  keep(socket: Duplex, tool?: AskedTool): void {
    const isAlone = this.#open === undefined;
    this.release();
    if (!isAlone || !tool || !PERMITTED.test(tool.name)) {
      socket.end('{}\n');
      return;
    }
    const open = { socket, prompt: promptOf(++this.#count, tool) };
    this.#open = open;
    socket.once('close', () => {
      if (this.#open !== open) return;
      this.#open = undefined;
      this.onGone();
    });
  }

  get prompt(): OpenPrompt | undefined {
    return this.#open?.prompt;
  }

  answer(key: string, answer: PromptAnswer): boolean {
    if (this.#open?.prompt.key !== key) return false;
    this.#open.socket.end(`${JSON.stringify({ answer })}\n`);
    this.#open = undefined;
    return true;
  }

  release(): void {
    this.#open?.socket.end('{}\n');
    this.#open = undefined;
  }
}

/** `count` tells it from one before it that asked for the same. */
function promptOf(count: number, { name, input }: AskedTool): OpenPrompt {
  return openPrompt([count, name, input], input && askOf(name, input));
}

function askOf(name: string, input: Record<string, unknown>): PromptAsk {
  const { command } = input;
  return name === 'Bash' && typeof command === 'string'
    ? commandAsk(name, { ...input, command })
    : toolAsk(name, input);
}
