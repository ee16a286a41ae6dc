export { fileLines } from './lines/file-lines.ts';
export { LineReader } from './lines/line-reader.ts';
export { systemReason } from './system-reason.ts';
