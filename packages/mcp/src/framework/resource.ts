import type { ReadResourceResult } from '@modelcontextprotocol/server';
import type { Participant } from '../participant/participant.ts';
import type { ParticipantEvents } from '../participant/participant-events.ts';

/** Something a client can read and subscribe to. */
export interface Resource {
  uri: string;
  name: string;
  description: string;
  mimeType: string;
  /** The events after which it may have changed. */
  changesWith: ReadonlyArray<keyof ParticipantEvents>;
  read(participant: Participant): Promise<ReadResourceResult>;
}

/** A resource template: one resource for each value of the variable in its address. */
export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  description: string;
  mimeType: string;
  /** The value in a matching address; undefined for any other address. */
  match(uri: string): string | undefined;
  read(participant: Participant, value: string, uri: string): Promise<ReadResourceResult>;
  /** The possible values, for completion. */
  values(participant: Participant): Promise<string[]>;
}
