export { type RunOptions, type RunResult, runInTerminal } from './host/run-in-terminal.ts';
