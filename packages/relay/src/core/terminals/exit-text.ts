import type { RunExit } from '@agent-relay/protocol';

export const exitText = ({ code, signal }: RunExit): string =>
  signal === undefined ? ` with exit code ${code}` : ` by ${signal}`;
