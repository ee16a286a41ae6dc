import type { Viewer } from './history.ts';
import type { StoredMessage } from './messages.ts';

export interface SearchQuery {
  /** Whose messages; an agent also finds what it wrote into other workspaces. */
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
  /** The part of the text around the words found, each between U+E000 and U+E001. */
  highlight: string;
}

export interface SearchStore {
  /**
   * A page, newest first. Words compare without case and accents. Of messages with the words the newest 10,000 that may concern
   * the viewer are looked at; more can only matter to an agent that has left a busy channel, or asks for one it was
   * never in.
   */
  search(query: SearchQuery): Promise<SearchHit[]>;
  /**
   * Brings the search index up to date by at most `limit` messages, when no other write is waiting; returns how many.
   * Cheap when it is. Search does so by itself before it looks.
   */
  indexForSearch(limit: number): Promise<number>;
}
