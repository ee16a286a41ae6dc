export { type DetachedRun, runDetached } from './host/run-detached.ts';
export { type RunOptions, type RunResult, runInTerminal } from './host/run-in-terminal.ts';
