import { hashSecret, newPageSession, pageSessionId, sameHash } from '@agent-relay/platform/secrets';
import { isPageSession, type PageSessionInfo, RelayError } from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Clock } from '../ports/clock.ts';
import type { PageSession } from '../ports/store/page-sessions.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import { actorName, type Principal } from '../principal.ts';
import { Links } from './links.ts';

/** How long a browser stays signed in. Each is the setting `dashboard.<name>`. */
export interface SignInLimits {
  linkMinutes: number;
  /** From the day it signed in. */
  sessionDays: number;
  /** Without a page being open. */
  idleDays: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How often it is noted that a page is open, and looked for sessions that have ended. */
const TEND_EVERY_MS = MINUTE_MS;
const MOST_BROWSER_CHARACTERS = 200;

interface Parts {
  store: Store;
  clock: Clock;
  workspaces: Workspaces;
  presence: Presence;
  limits: SignInLimits;
}

/** The browsers in which the owner is signed in to the dashboard. */
export class PageSessions {
  readonly #parts: Parts;
  readonly #links: Links;
  /** Ended since the start: known at once, also to a connection that showed one just before. */
  readonly #ended = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#links = new Links(parts.clock, parts.limits.linkMinutes * MINUTE_MS);
  }

  /** A code that signs one browser in. */
  async link(by: Principal): Promise<{ code: string; expiresAt: number }> {
    const link = this.#links.create(by.workspace.id);
    await this.#parts.workspaces.audit(by, by.workspace, 'page.link_created', 'dashboard');
    return link;
  }

  /** Signs a browser in with the code of a link, which is used up by that. */
  async signIn(
    code: string,
    browser: string | undefined,
  ): Promise<{ session: string; project: string; expiresAt: number }> {
    const { store, clock, workspaces, limits } = this.#parts;
    const workspaceId = this.#links.use(code);
    if (workspaceId === undefined) {
      throw new RelayError('Unauthorized', 'This link was used before, or is too old.', {
        next: 'Get a new one with: agent-relay dashboard',
      });
    }
    const workspace = workspaces.byId(workspaceId);
    const { id, session } = newPageSession();
    const now = clock.now();
    const expiresAt = now + limits.sessionDays * DAY_MS;
    await store.addPageSession({
      id,
      workspaceId,
      hash: hashSecret(session),
      browser: browser?.slice(0, MOST_BROWSER_CHARACTERS),
      createdAt: now,
      usedAt: now,
      expiresAt,
    });
    await this.#audit(workspace, 'owner', 'page.signed_in', id, browser);
    return { session, project: workspace.name, expiresAt };
  }

  /** The session of a secret, and the workspace it was opened in. Why it fails is not told. */
  async authenticate(secret: string): Promise<{ workspace: Workspace; pageSessionId: string }> {
    const { store, clock, workspaces, limits } = this.#parts;
    const id = pageSessionId(secret);
    const found = isPageSession(secret) ? await store.findPageSession(id) : undefined;
    const now = clock.now();
    const isValid =
      found !== undefined &&
      sameHash(found.hash, hashSecret(secret)) &&
      !this.#ended.has(id) &&
      found.expiresAt > now &&
      found.usedAt >= now - limits.idleDays * DAY_MS;
    if (!isValid) {
      throw new RelayError('Unauthorized', 'This browser is not signed in any more.', {
        next: 'Sign in with: agent-relay dashboard',
      });
    }
    if (found.usedAt < now - TEND_EVERY_MS) await store.touchPageSessions([id], now);
    return { workspace: workspaces.byId(found.workspaceId), pageSessionId: id };
  }

  hasEnded(id: string): boolean {
    return this.#ended.has(id);
  }

  async list(): Promise<PageSessionInfo[]> {
    const { store, workspaces, presence } = this.#parts;
    const connected = presence.pageSessions();
    return (await store.listPageSessions()).map(({ hash: _secret, workspaceId, browser, ...session }) => ({
      ...session,
      project: workspaces.byId(workspaceId).name,
      ...(browser === undefined ? {} : { browser }),
      connected: connected.has(session.id),
    }));
  }

  /** Signs out one browser, or all of them; resolves with those that were signed in. */
  async revoke(by: Principal, which: { id: string } | { all: true }): Promise<string[]> {
    const { store } = this.#parts;
    const ids = 'id' in which ? [which.id] : (await store.listPageSessions()).map(({ id }) => id);
    const removed = await store.removePageSessions(ids);
    if ('id' in which && removed.length === 0) {
      throw new RelayError('KeyNotFound', `No browser is signed in with the session "${which.id}".`, {
        next: 'List them with: agent-relay dashboard sessions',
      });
    }
    return await this.#end(removed, actorName(by), 'page.signed_out');
  }

  /** Notes which pages are open and ends what is over, from time to time, until the function it returns is called. */
  tend(onError: (error: unknown) => void): () => void {
    const { clock } = this.#parts;
    let stopped = false;
    const run = async () => {
      await this.#tendOnce().catch((error) => stopped || onError(error));
      if (!stopped) stop = clock.after(TEND_EVERY_MS, run);
    };
    let stop = clock.after(TEND_EVERY_MS, run);
    return () => {
      stopped = true;
      stop();
    };
  }

  async #tendOnce(): Promise<void> {
    const { store, clock, presence, limits } = this.#parts;
    const now = clock.now();
    const connected = presence.pageSessions();
    if (connected.size > 0) await store.touchPageSessions([...connected], now);
    const ended = await store.removeEndedPageSessions(now, now - limits.idleDays * DAY_MS);
    await this.#end(ended, 'relay', 'page.expired');
  }

  async #end(sessions: PageSession[], actor: string, action: string): Promise<string[]> {
    const { presence, workspaces } = this.#parts;
    const ids = sessions.map(({ id }) => id);
    if (ids.length === 0) return ids;
    for (const id of ids) this.#ended.add(id);
    presence.end({ kind: 'pages', pageSessionIds: ids });
    for (const { id, workspaceId, browser } of sessions)
      await this.#audit(workspaces.byId(workspaceId), actor, action, id, browser);
    return ids;
  }

  #audit(
    { id: workspaceId }: Workspace,
    actor: string,
    action: string,
    subject: string,
    browser: string | undefined,
  ): Promise<void> {
    const detail = browser === undefined ? undefined : { browser };
    return this.#parts.store.appendAudit({
      workspaceId,
      at: this.#parts.clock.now(),
      actor,
      action,
      subject,
      detail,
    });
  }
}
