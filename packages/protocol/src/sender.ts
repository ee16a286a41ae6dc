import type { Message } from './payloads.ts';

/** Whom a message is from, as readers are shown it: `Alice`, `shop:Alice`, `pm (unverified)`. */
export const senderOf = ({
  from,
  fromProject,
  unverified,
}: Pick<Message, 'from' | 'fromProject' | 'unverified'>) =>
  `${fromProject === undefined ? '' : `${fromProject}:`}${from}${unverified ? ' (unverified)' : ''}`;
