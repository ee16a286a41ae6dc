/** A browser that is signed in to the dashboard. */
export interface PageSession {
  id: string;
  /** The workspace it was opened in. */
  workspaceId: number;
  /** SHA-256 of its secret, in hex. */
  hash: string;
  browser: string | undefined;
  createdAt: number;
  usedAt: number;
  expiresAt: number;
}

export interface PageSessionStore {
  addPageSession(session: PageSession): Promise<void>;
  findPageSession(id: string): Promise<PageSession | undefined>;
  /** All of them, oldest first. */
  listPageSessions(): Promise<PageSession[]>;
  /** Notes that these are in use. */
  touchPageSessions(ids: string[], at: number): Promise<void>;
  /** Deletes these; returns those that were there. */
  removePageSessions(ids: string[]): Promise<PageSession[]>;
  /** Deletes those that have expired by `now`, or were last used before `usedBefore`; returns them. */
  removeEndedPageSessions(now: number, usedBefore: number): Promise<PageSession[]>;
}
