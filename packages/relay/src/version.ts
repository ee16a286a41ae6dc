import manifest from '../package.json' with { type: 'json' };

/** The version of this package, as `--version`, `status` and WELCOME tell it. */
export const VERSION: string = manifest.version;
