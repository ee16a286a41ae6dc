import type { ReadResourceResult } from '@modelcontextprotocol/server';
import type { Participant, ParticipantEvents } from '../participant/participant.ts';

/** Something a client can read, and follow. */
export interface Resource {
  uri: string;
  name: string;
  description: string;
  mimeType: string;
  /** The events after which it may have changed. */
  changesWith: ReadonlyArray<keyof ParticipantEvents>;
  read(participant: Participant): Promise<ReadResourceResult>;
}

/** A family of resources, one for each value of the variable in its address. */
export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  description: string;
  mimeType: string;
  /** The value in an address of this family; undefined for any other address. */
  match(uri: string): string | undefined;
  read(participant: Participant, value: string, uri: string): Promise<ReadResourceResult>;
  /** The values there are, for a client that completes what a person types. */
  values(participant: Participant): Promise<string[]>;
}
