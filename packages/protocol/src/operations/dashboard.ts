import { z } from 'zod';
import { none, result } from './define.ts';

/** A browser that is signed in to the dashboard. */
export interface PageSessionInfo {
  id: string;
  /** The project it was opened in. */
  project: string;
  /** What the browser said it is. */
  browser?: string;
  createdAt: number;
  usedAt: number;
  expiresAt: number;
  /** Whether a page is connected with it right now. */
  connected: boolean;
}

export const dashboardOperations = {
  /** A link that signs one browser in, once; `url` has the code in its fragment, which browsers send to nobody. */
  PAGE_LINK: { params: none, result: result<{ url: string; expiresAt: number }>() },
  /** The browsers that are signed in. */
  PAGE_SESSIONS: { params: none, result: result<{ sessions: PageSessionInfo[] }>() },
  /** Signs out one browser, or all of them, and closes their connections. */
  PAGE_SESSION_REVOKE: {
    params: z.union([
      z.object({ id: z.string().max(64) }).strict(),
      z.object({ all: z.literal(true) }).strict(),
    ]),
    result: result<{ revoked: string[] }>(),
  },
} as const;
