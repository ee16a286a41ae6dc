const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string of a value.
 * Names that are set nowhere are collected in `missing`: the backend that needs them fails alone.
 */
export function expandVariables<T>(value: T, env: NodeJS.ProcessEnv, missing: Set<string>): T {
  const expand = (part: unknown): unknown => {
    if (typeof part === 'string') {
      return part.replace(VARIABLE, (_whole, name: string, fallback: string | undefined) => {
        const found = env[name] ?? fallback;
        if (found === undefined) missing.add(name);
        return found ?? '';
      });
    }
    if (Array.isArray(part)) return part.map(expand);
    if (part !== null && typeof part === 'object') {
      return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, expand(inner)]));
    }
    return part;
  };
  return expand(value) as T;
}
