import { nameKey } from '@agent-relay/protocol';
import { type ProjectNames, publishProjectNames } from '@agent-relay/sdk/node';
import type { Workspace } from '../../core/ports/store/workspaces.ts';

/** Keeps the published project names in sync with the database. */
export class PublishedNames {
  readonly #list: () => Workspace[];
  readonly #env: Record<string, string | undefined>;
  #published: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(dataDirectory: string, list: () => Workspace[]) {
    this.#list = list;
    this.#env = { ...process.env, RELAY_DATA_DIR: dataDirectory };
  }

  /** Resolves when the current names are published. Writes are serialized, so the last one wins. */
  publish(): Promise<void> {
    const writing = this.#writing.then(() => this.#write());
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  async #write(): Promise<void> {
    const names = namesOf(this.#list());
    const text = JSON.stringify(names);
    if (text === this.#published) return;
    await publishProjectNames(names, this.#env);
    this.#published = text;
  }
}

/** The projects whose name differs, or differed, from their directory. */
function namesOf(workspaces: Workspace[]): ProjectNames[] {
  const owners = new Map(workspaces.map(({ id, name }) => [nameKey(name), id]));
  return workspaces
    .map(({ id, name, directory, formerNames }) => {
      const isFree = (former: string) => former !== name && (owners.get(nameKey(former)) ?? id) === id;
      return { name, directory, formerNames: formerNames.filter(isFree) };
    })
    .filter(({ name, directory, formerNames }) => name !== directory || formerNames.length > 0);
}
