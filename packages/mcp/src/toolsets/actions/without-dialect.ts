/** A schema as models get it: every word is paid for in an agent's context. */
export const withoutDialect = ({ $schema, ...schema }: Record<string, unknown>): Record<string, unknown> =>
  schema;
