import manifest from '../package.json' with { type: 'json' };

/** The version of this package, for `--version`, `status` and WELCOME. */
export const VERSION: string = manifest.version;
