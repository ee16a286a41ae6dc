/**
 * The sender's authority over the recipient, as the recipient's model sees it. The daemon knows it from
 * connections and ids, so neither a text nor a name can claim it.
 */
export const AUTHORITIES = {
  person: 'from a person',
  parent: 'from the agent you work for',
  lead: 'from the lead agent',
  peer: 'from a peer agent',
  relay: 'from the relay',
  other_project: 'from another project',
  unverified: 'sender name not verified',
} as const satisfies Record<string, string>;

export type Authority = keyof typeof AUTHORITIES;
