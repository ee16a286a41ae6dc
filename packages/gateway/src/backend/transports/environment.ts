/** What a program needs to start. Everything else, secrets included, stays with the gateway. */
const PASSED = [
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
];

/** The environment of a backend process: the names above, the locale and its configured variables. */
export function backendEnvironment(
  own: NodeJS.ProcessEnv,
  configured: Record<string, string>,
): NodeJS.ProcessEnv {
  const passed = Object.entries(own).filter(
    ([name, value]) =>
      (PASSED.includes(name) || name.startsWith('LC_')) &&
      // Exported shell functions are code.
      value?.startsWith('()') === false,
  );
  return { ...Object.fromEntries(passed), ...configured };
}
