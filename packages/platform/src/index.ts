export { systemReason } from './system-reason.ts';
