import type { Message } from './message.ts';

/** The sender of a message as shown to readers: `Alice`, `shop:Alice`, `pm (unverified)`. */
export const senderOf = ({
  from,
  fromProject,
  unverified,
}: Pick<Message, 'from' | 'fromProject' | 'unverified'>) =>
  `${fromProject === undefined ? '' : `${fromProject}:`}${from}${unverified ? ' (unverified)' : ''}`;
