export { type IPty, spawn } from '@lydell/node-pty';
