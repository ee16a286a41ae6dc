export { queries } from './export.ts';
export { commands } from './import.ts';
