import { hashSecret, newWorkspaceKey, sameHash, workspaceKeyId } from '@agent-relay/platform/secrets';
import {
  checkName,
  isWorkspaceKey,
  type KeyInfo,
  nameKey,
  nearNames,
  RelayError,
} from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';
import type { AuditRecord } from '../ports/store/audit.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import { actorName, type Principal } from '../principal.ts';
import { projectName } from './project-name.ts';

/** Workspaces are the isolation boundary, known to local users as projects: their names and keys. */
export class Workspaces {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #byName = new Map<string, Workspace>();
  /** Keys revoked since the start, in effect immediately, even for a connection being set up. */
  readonly #revoked = new Set<string>();
  /** Removed here since the start: a read in progress may still find them in the store. */
  readonly #removed = new Set<number>();
  #refreshing: Promise<void> = Promise.resolve();
  /** Called when one was created, renamed or removed here. */
  onChanged: () => void = () => undefined;
  /** Called with one that another daemon created, before it can be found here. */
  onFound: (workspace: Workspace) => Promise<unknown> = async () => undefined;
  /** Called with one that another daemon removed. */
  onGone: (workspace: Workspace) => void = () => undefined;

  private constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  static async load(store: Store, clock: Clock): Promise<Workspaces> {
    const workspaces = new Workspaces(store, clock);
    for (const workspace of await store.listWorkspaces())
      workspaces.#byName.set(nameKey(workspace.name), workspace);
    return workspaces;
  }

  /** Applies changes made by another daemon. */
  async refresh(): Promise<void> {
    if (!this.#store.isShared) return;
    const refreshed = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = refreshed.catch(() => undefined);
    await refreshed;
  }

  async #refresh(): Promise<void> {
    const before = this.list();
    const stored = await this.#store.listWorkspaces();
    const left = new Set(stored.map(({ id }) => id));
    for (const workspace of before) {
      if (left.has(workspace.id) || this.#removed.has(workspace.id)) continue;
      this.#byName.delete(nameKey(workspace.name));
      this.onGone(workspace);
    }
    for (const workspace of stored) {
      const known = this.#find(workspace.id);
      if (known) this.#rename(known, workspace.name, workspace.formerNames);
      else await this.#found(workspace);
    }
  }

  async #found(workspace: Workspace): Promise<void> {
    if (this.#removed.has(workspace.id)) return;
    await this.onFound(workspace);
    // It may have been created or removed here meanwhile.
    if (!this.#find(workspace.id) && !this.#removed.has(workspace.id))
      this.#byName.set(nameKey(workspace.name), workspace);
  }

  #find(id: number): Workspace | undefined {
    return this.list().find((known) => known.id === id);
  }

  #rename(workspace: Workspace, name: string, formerNames: string[]): void {
    if (this.#byName.get(nameKey(workspace.name)) === workspace) this.#byName.delete(nameKey(workspace.name));
    Object.assign(workspace, { name, formerNames });
    this.#byName.set(nameKey(name), workspace);
  }

  list(): Workspace[] {
    return [...this.#byName.values()];
  }

  find(name: string): Workspace | undefined {
    return this.#byName.get(nameKey(name));
  }

  byId(id: number): Workspace {
    const workspace = this.#find(id);
    if (workspace) return workspace;
    throw new RelayError('ProjectNotFound', 'The project was removed.');
  }

  get(name: string): Workspace {
    const workspace = this.find(name);
    if (workspace) return workspace;
    const renamed = this.#formerly(name);
    if (renamed) {
      throw new RelayError('ProjectNotFound', `The project "${name}" was renamed to "${renamed.name}".`, {
        next: `Use that name: ${renamed.name}`,
        details: { suggestions: [renamed.name] },
      });
    }
    const suggestions = nearNames(
      name,
      this.list().map((known) => known.name),
    );
    const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
    throw new RelayError('ProjectNotFound', `This daemon has no project "${name}".${hint}`, {
      details: { suggestions },
    });
  }

  #formerly(name: string): Workspace | undefined {
    return this.list().findLast(({ formerNames }) =>
      formerNames.some((former) => nameKey(former) === nameKey(name)),
    );
  }

  async create(name: string): Promise<Workspace> {
    const workspace = await this.#createUnlessTaken(name, undefined);
    if (!workspace) throw new RelayError('WorkspaceExists', `The workspace "${name}" already exists.`);
    return workspace;
  }

  /**
   * The workspace of a directory: the one with the requested name, or that had it last; else the one recorded
   * for the directory, or a new one under the directory's base name, made unique. A former name may still be recorded
   * somewhere: it must not lead to an empty workspace.
   */
  async openFor(root: string, name: string | undefined): Promise<{ workspace: Workspace; created: boolean }> {
    const base = name ?? projectName(root);
    const find = () =>
      name === undefined
        ? this.list().find((workspace) => workspace.root === root)
        : (this.find(name) ?? this.#formerly(name));
    // Another daemon may have created it.
    if (!find()) await this.refresh();
    for (let number = 1; ; number++) {
      // Checked each time: another client may open the same directory meanwhile.
      const known = find();
      if (known) return { workspace: known, created: false };
      const free = number === 1 ? base : `${base.slice(0, 60)}-${number}`;
      const workspace = this.find(free) ? undefined : await this.#createUnlessTaken(free, root);
      if (workspace) return { workspace, created: true };
    }
  }

  async #createUnlessTaken(name: string, root: string | undefined): Promise<Workspace | undefined> {
    checkName(name, 'project');
    const created = await this.#store.createWorkspace({ name, root, createdAt: this.#clock.now() });
    if (!created) {
      await this.refresh();
      return undefined;
    }
    const workspace = this.#find(created.id) ?? created;
    this.#byName.set(nameKey(name), workspace);
    this.onChanged();
    return workspace;
  }

  /** The workspace of a key. Wrong, revoked and unknown keys get the same error. */
  async authenticate(key: string): Promise<{ workspace: Workspace; keyId: string }> {
    const id = workspaceKeyId(key);
    const record = isWorkspaceKey(key) ? await this.#store.findKey(id) : undefined;
    // Another daemon may have created it.
    if (record && !this.#find(record.workspaceId)) await this.refresh();
    const workspace = record && this.#find(record.workspaceId);
    if (!record || !workspace || record.revokedAt !== undefined || !sameHash(record.hash, hashSecret(key))) {
      throw new RelayError('Unauthorized', 'The workspace key is not valid.');
    }
    return { workspace, keyId: id };
  }

  async createKey(by: Principal, workspace: Workspace): Promise<{ key: string; keyId: string }> {
    const { id, key } = newWorkspaceKey();
    await this.#store.addKey({
      id,
      workspaceId: workspace.id,
      hash: hashSecret(key),
      createdAt: this.#clock.now(),
    });
    await this.audit(by, workspace, 'key.created', id);
    return { key, keyId: id };
  }

  async listKeys(workspace: Workspace): Promise<KeyInfo[]> {
    const keys = await this.#store.listKeys(workspace.id);
    return keys.map(({ id, createdAt, revokedAt }) => ({
      id,
      createdAt,
      ...(revokedAt === undefined ? {} : { revokedAt }),
    }));
  }

  async revokeKey(by: Principal, workspace: Workspace, id: string): Promise<string[]> {
    const revoked = await this.#revoke({ workspaceId: workspace.id, id, at: this.#clock.now() });
    if (revoked.length === 0) throw new RelayError('KeyNotFound', `The workspace has no valid key "${id}".`);
    await this.audit(by, workspace, 'key.revoked', id);
    return revoked;
  }

  async rotateKey(
    by: Principal,
    workspace: Workspace,
  ): Promise<{ key: string; keyId: string; revoked: string[] }> {
    const created = await this.createKey(by, workspace);
    const revoked = await this.#revoke({
      workspaceId: workspace.id,
      exceptId: created.keyId,
      at: this.#clock.now(),
    });
    for (const id of revoked) await this.audit(by, workspace, 'key.revoked', id);
    return { ...created, revoked };
  }

  isRevoked(keyId: string): boolean {
    return this.#revoked.has(keyId);
  }

  async #revoke(which: Parameters<Store['revokeKeys']>[0]): Promise<string[]> {
    const revoked = await this.#store.revokeKeys(which);
    for (const id of revoked) this.#revoked.add(id);
    return revoked;
  }

  async rename(by: Principal, workspace: Workspace, name: string): Promise<void> {
    checkName(name, 'project');
    const record = this.record(by, workspace, 'workspace.renamed', name, { before: workspace.name });
    if (!(await this.#store.renameWorkspace(workspace.id, name, record)))
      throw new RelayError('WorkspaceExists', `The workspace "${name}" already exists.`);
    this.#rename(workspace, name, [...workspace.formerNames, workspace.name]);
    this.onChanged();
  }

  /** Hidden right away; if deletion fails it is restored, so that it can be tried again. */
  async remove(workspace: Workspace): Promise<void> {
    this.#byName.delete(nameKey(workspace.name));
    this.#removed.add(workspace.id);
    try {
      await this.#store.removeWorkspace(workspace, this.#clock.now());
    } catch (error) {
      this.#removed.delete(workspace.id);
      this.#byName.set(nameKey(workspace.name), workspace);
      throw error;
    }
    this.onChanged();
  }

  audit(
    by: Principal,
    workspace: Workspace,
    action: string,
    subject: string,
    detail?: Record<string, unknown>,
  ): Promise<void> {
    return this.append(this.record(by, workspace, action, subject, detail));
  }

  append(record: AuditRecord): Promise<void> {
    return this.#store.appendAudit(record);
  }

  /** For a change that is stored together with its record. */
  record(
    by: Principal,
    workspace: Workspace,
    action: string,
    subject: string,
    detail?: Record<string, unknown>,
  ): AuditRecord {
    return {
      workspaceId: workspace.id,
      at: this.#clock.now(),
      actor: actorName(by),
      action,
      subject,
      detail: by.through ? { ...detail, through: actorName(by.through) } : detail,
    };
  }
}
