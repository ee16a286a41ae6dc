export type ConfigPath = Array<string | number>;

/** A configuration file in memory: its value, positions, and edits that keep comments. */
export interface ConfigText {
  readonly value: unknown;
  /** "line:column" of the value at a path, or of its nearest existing parent. */
  position(path: ConfigPath): string;
  /** The text with a value set at a path. An index equal to the list's length appends. */
  withValue(path: ConfigPath, value: unknown): string;
  without(path: ConfigPath): string;
}

/** The text is not valid YAML or JSON. */
export class ConfigSyntaxError extends Error {
  readonly position: string;
  constructor(message: string, position: string) {
    super(message);
    this.position = position;
  }
}
