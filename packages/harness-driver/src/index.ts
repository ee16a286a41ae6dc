export { type RunOptions, type RunResult, runInTerminal } from './host.ts';
