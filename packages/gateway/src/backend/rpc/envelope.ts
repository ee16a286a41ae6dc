import { type JsonMembers, objectFrom, toJson } from '../../json/raw-json.ts';
import { type Era, envelope, META } from './negotiate.ts';

/** Params in the form of an era: modern servers get the caller's capabilities, others do not. */
export const paramsFor = (era: Era, params: JsonMembers, clientCapabilities: unknown): JsonMembers =>
  era === 'modern' ? withEnvelope(params, clientCapabilities) : withoutEnvelope(params);

function withEnvelope(params: JsonMembers, clientCapabilities: unknown): JsonMembers {
  const meta = objectFrom(params.get('_meta')) ?? {};
  return new Map(params).set('_meta', toJson({ ...meta, ...envelope(clientCapabilities ?? {}) }));
}

/** The modern `_meta` fields mean nothing to an older server and would confuse its transport. */
function withoutEnvelope(params: JsonMembers): JsonMembers {
  const raw = params.get('_meta');
  if (!raw?.includes(META.protocolVersion)) return params;
  const meta = Object.entries(objectFrom(raw) ?? {}).filter(([key]) => !ENVELOPE_KEYS.includes(key));
  return new Map(params).set('_meta', toJson(Object.fromEntries(meta)));
}

const ENVELOPE_KEYS: string[] = Object.values(META);
