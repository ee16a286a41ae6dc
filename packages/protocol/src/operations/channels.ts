import { z } from 'zod';
import { cursor, type Nothing, name, result } from './define.ts';

export interface ChannelInfo {
  /** With its `#`. */
  name: string;
  topic?: string;
  members: number;
  /** Whether the requesting agent is a member. */
  joined: boolean;
  createdBy: string;
  createdAt: number;
  archivedAt?: number;
}

/** A channel may be written with or without `#`. */
const channel = name;
const topic = z.string().max(1024);

export const channelOperations = {
  CHANNEL_CREATE: {
    params: z.object({ name: channel, topic: topic.optional() }).strict(),
    result: result<{ channel: ChannelInfo }>(),
  },
  CHANNEL_JOIN: {
    /** `create`: create the channel if it does not exist. */
    params: z.object({ channel, create: z.boolean().default(false) }).strict(),
    result: result<{ channel: ChannelInfo; joined: boolean }>(),
  },
  CHANNEL_LEAVE: { params: z.object({ channel }).strict(), result: result<{ left: boolean }>() },
  CHANNEL_LIST: {
    params: z.object({ includeArchived: z.boolean().default(false), cursor: cursor.optional() }).strict(),
    result: result<{ channels: ChannelInfo[]; next?: string }>(),
  },
  CHANNEL_MEMBERS: { params: z.object({ channel }).strict(), result: result<{ members: string[] }>() },
  CHANNEL_INVITE: {
    params: z.object({ channel, agent: name }).strict(),
    result: result<{ added: boolean }>(),
  },
  CHANNEL_TOPIC: { params: z.object({ channel, topic }).strict(), result: result<Nothing>() },
  /** An archived channel is read-only; `archived: false` reopens it. */
  CHANNEL_ARCHIVE: {
    params: z.object({ channel, archived: z.boolean().default(true) }).strict(),
    result: result<Nothing>(),
  },
} as const;
