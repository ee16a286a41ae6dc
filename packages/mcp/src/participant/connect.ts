import type { ParticipantOptions, Relay } from '@agent-relay/sdk';

/** Makes a connection to the relay for a participant; which daemon, and with which credentials, is its business. */
export type Connect = (profile: ParticipantOptions) => Promise<Relay>;
