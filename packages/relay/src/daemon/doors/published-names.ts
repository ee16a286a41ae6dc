import { nameKey } from '@agent-relay/protocol';
import { type ProjectNames, publishProjectNames } from '@agent-relay/sdk/node';
import type { Workspace } from '../../core/ports/store/workspaces.ts';

/** Keeps what is published about the names of the projects the same as what the database says. */
export class PublishedNames {
  readonly #list: () => Workspace[];
  readonly #env: Record<string, string | undefined>;
  #published: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(dataDirectory: string, list: () => Workspace[]) {
    this.#list = list;
    this.#env = { ...process.env, RELAY_DATA_DIR: dataDirectory };
  }

  /** Resolves when the names of this moment are published. One write after the other: the last says how it is. */
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

/** Those of the projects that are not found in a directory of their name, or had another one. */
function namesOf(workspaces: Workspace[]): ProjectNames[] {
  const owners = new Map(workspaces.map(({ id, name }) => [nameKey(name), id]));
  return workspaces
    .map(({ id, name, directory, formerNames }) => {
      const isFree = (former: string) => former !== name && (owners.get(nameKey(former)) ?? id) === id;
      return { name, directory, formerNames: formerNames.filter(isFree) };
    })
    .filter(({ name, directory, formerNames }) => name !== directory || formerNames.length > 0);
}
