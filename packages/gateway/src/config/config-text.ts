export type ConfigPath = Array<string | number>;

/** A configuration file in memory: its value, where each part of it stands, and edits that keep the user's comments. */
export interface ConfigText {
  readonly value: unknown;
  /** "line:column" of the value at a path, or of the nearest parent that exists. */
  position(path: ConfigPath): string;
  /** The new text with a value set at a path; a path that ends at the list's length appends. */
  withValue(path: ConfigPath, value: unknown): string;
  without(path: ConfigPath): string;
}

/** The text is not YAML or JSON at all. */
export class ConfigSyntaxError extends Error {
  readonly position: string;
  constructor(message: string, position: string) {
    super(message);
    this.position = position;
  }
}
