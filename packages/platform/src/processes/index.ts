export { findCommand } from './find-command.ts';
export {
  isAlive,
  type MarkedProcess,
  processMark,
  signalProcess,
  signalSession,
} from './process-mark.ts';
