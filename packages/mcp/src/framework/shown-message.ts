import {
  type AgentType,
  type HistoryMessage,
  type InboxMessage,
  type Message,
  nameKey,
} from '@agent-relay/protocol';
import type { Wording } from './toolset.ts';

/** A message as shown to a model: with everything it needs to judge and answer it. */
export type ShownMessage<M extends Message> = Typed<M> & { answer?: string };
type Typed<M extends Message> = Omit<M, 'fromType'> & { fromType: AgentType };

/** Most clients show their model only the data of a result, so everything has to be in it. */
export function shownMessage<M extends Message | InboxMessage | HistoryMessage>(
  message: M,
  { answer }: Wording,
  own: string | undefined,
): ShownMessage<M> {
  const shown = withSenderType(message);
  const { fromType, from, fromProject } = shown;
  const isOwn = own !== undefined && fromProject === undefined && nameKey(from) === nameKey(own);
  const isAnswered = fromType !== 'system' && !isOwn;
  return { ...shown, ...(isAnswered ? { answer: answer(message) } : {}) };
}

/** Also set for agents, where the protocol omits it. */
export const withSenderType = <M extends Message>(message: M): Typed<M> => ({
  ...message,
  fromType: message.fromType ?? 'agent',
});

/** The address of a reply: the channel, else the sender. */
export const answerAddress = ({ channel, from, fromProject }: Message): string =>
  channel ?? (fromProject === undefined ? from : `${fromProject}:${from}`);
