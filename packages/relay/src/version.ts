import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The version of this package, as `--version`, `status` and WELCOME tell it. */
export const VERSION = version;
