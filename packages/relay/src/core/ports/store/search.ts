import type { Viewer } from './history.ts';
import type { StoredMessage } from './messages.ts';

export interface SearchQuery {
  /** The workspace of the messages; an agent also finds what it sent to other workspaces. */
  workspaceId: number;
  viewer: Viewer;
  /** Words that must all occur, and phrases in double quotes; anything else in it is plain text. */
  text: string;
  conversationId?: number;
  senderId?: number;
  since?: number;
  until?: number;
  limit: number;
}

export interface SearchHit {
  message: StoredMessage;
  /** The text around the matches, each between U+E000 and U+E001. */
  highlight: string;
}

export interface SearchStore {
  /**
   * A page, newest first. Words are compared ignoring case and accents. Of the messages with the words, the newest 10,000
   * that may concern the viewer are checked; more can only matter to an agent that has left a busy channel, or asks for one it was
   * never in.
   */
  search(query: SearchQuery): Promise<SearchHit[]>;
  /**
   * Brings the search index up to date by at most `limit` messages, when no other write is waiting; returns how many.
   * Cheap if it is up to date. Search calls it first.
   */
  indexForSearch(limit: number): Promise<number>;
}
