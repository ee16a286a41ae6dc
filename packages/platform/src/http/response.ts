import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * A response with additional default headers. `setHeader` would do the same, but makes Node
 * build every header block in a slower way: a tenth of the time of a small answer.
 */
export class DoorResponse extends ServerResponse {
  /** Default headers; those passed to writeHead take precedence. */
  commonHeaders: Readonly<Record<string, string>> | undefined;

  override writeHead(status: number, reason?: string, headers?: Headers): this;
  override writeHead(status: number, headers?: Headers): this;
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    const isSpoken = typeof reason === 'string';
    const all = withCommon(this.commonHeaders, isSpoken ? headers : reason);
    return isSpoken ? super.writeHead(status, reason, all) : super.writeHead(status, all);
  }
}

function withCommon(common: DoorResponse['commonHeaders'], given: Headers | undefined): Headers | undefined {
  if (common === undefined) return given;
  return Array.isArray(given) ? [...Object.entries(common).flat(), ...given] : { ...common, ...given };
}
