import { notReadyText, type Reason } from '@agent-relay/protocol';

/** What an agent that was started waits for, and where to look. */
export const notReadyLines = (name: string, reason: Reason | undefined): string =>
  reason
    ? `${name} is not ready yet: ${notReadyText(reason)}\nLook at it with: agent-relay attach ${name}`
    : `${name} is not ready yet.\nCheck its state with: agent-relay who`;
