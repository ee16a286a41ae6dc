const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** What a variable is written as in a file. Text from elsewhere must not have it: nothing of that is ever expanded. */
export const VARIABLE_START = '${';

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string of a value, and notes in `used` what each name stands for;
 * a name that is set nowhere stands for nothing: the backend that needs it fails alone.
 */
export function expandVariables<T>(
  value: T,
  env: NodeJS.ProcessEnv,
  used: Map<string, string | undefined>,
): T {
  const expand = (part: unknown): unknown => {
    if (typeof part === 'string') {
      return part.replace(VARIABLE, (_whole, name: string, fallback: string | undefined) => {
        const found = env[name] ?? fallback;
        used.set(name, found);
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
