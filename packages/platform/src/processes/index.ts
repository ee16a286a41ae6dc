export { findCommand } from './find-command.ts';
export {
  descendantsOf,
  isAlive,
  isDescendant,
  type MarkedProcess,
  processMark,
  signalProcess,
  signalSession,
} from './process-mark.ts';
