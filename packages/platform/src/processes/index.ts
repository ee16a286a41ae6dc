export { findCommand } from './find-command.ts';
export {
  descendantsOf,
  isAlive,
  type MarkedProcess,
  processMark,
  signalProcess,
  signalSession,
} from './process-mark.ts';
