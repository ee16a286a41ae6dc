import { RelayError } from '@agent-relay/protocol';

/** The schema of a tool's input or output: JSON Schema, or a schema of zod 4.2 or another library that converts to it. */
export type ToolSchema<Value = unknown> = JsonSchema | LibrarySchema<Value>;

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The part of https://standardschema.dev that is used here; zod implements it. */
export interface LibrarySchema<Value = unknown> {
  readonly '~standard': {
    readonly types?: { readonly output: Value } | undefined;
    validate(value: unknown): Validated<Value> | Promise<Validated<Value>>;
    readonly jsonSchema?: {
      input(options: { target: string }): Record<string, unknown>;
      output(options: { target: string }): Record<string, unknown>;
    };
  };
}

type Validated<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }>;
    };

/** The type of values that a schema describes. */
export type ValueOf<Schema> = Schema extends LibrarySchema<infer Value> ? Value : Record<string, unknown>;

const TARGET = { target: 'draft-2020-12' };

const isLibrarySchema = (schema: ToolSchema): schema is LibrarySchema =>
  typeof (schema as Partial<LibrarySchema>)['~standard'] === 'object';

/** The schema as sent to the daemon and other agents. */
export function jsonSchemaOf(schema: ToolSchema, side: 'input' | 'output'): Record<string, unknown> {
  if (!isLibrarySchema(schema)) return schema;
  const { jsonSchema } = schema['~standard'];
  if (jsonSchema) return jsonSchema[side](TARGET);
  throw new RelayError('InvalidRequest', `${side}: this schema cannot be converted to JSON Schema.`, {
    next: 'Use zod 4.2 or newer, or write a JSON Schema.',
    details: { field: side },
  });
}

/** The value parsed by the schema, with defaults. The daemon checks JSON Schemas. */
export async function parsed(schema: ToolSchema, value: unknown): Promise<unknown> {
  if (!isLibrarySchema(schema)) return value;
  const outcome = await schema['~standard'].validate(value);
  if (outcome.issues === undefined) return outcome.value;
  const [issue] = outcome.issues;
  const path = (issue?.path ?? []).map((step) => keyOf(step)).join('.');
  throw new Error([path, issue?.message].filter(Boolean).join(': '));
}

const keyOf = (step: unknown): string =>
  String(typeof step === 'object' && step !== null && 'key' in step ? step.key : step);
