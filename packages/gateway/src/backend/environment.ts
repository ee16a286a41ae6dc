/** What a program needs to start at all. Secrets of the gateway's own environment stay with the gateway. */
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

/** The environment of a backend's process: the few names above, the locale, and what its configuration sets. */
export function backendEnvironment(
  own: NodeJS.ProcessEnv,
  configured: Record<string, string>,
): NodeJS.ProcessEnv {
  const passed = Object.entries(own).filter(
    ([name, value]) =>
      (PASSED.includes(name) || name.startsWith('LC_')) &&
      // A shell function smuggled in a variable is code, not a setting.
      value?.startsWith('()') === false,
  );
  return { ...Object.fromEntries(passed), ...configured };
}
