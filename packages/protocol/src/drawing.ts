export { Drawing } from './drawing/drawing.ts';
export { Modes } from './drawing/modes.ts';
