/**
 * A fetch for many calls over one transport. It leaves no listeners on the transport's abort signal and rejects
 * messages larger than `maxMessageBytes`.
 */
export function boundedFetch(maxMessageBytes: number): typeof fetch {
  return async (input, init = {}) => {
    const parent = init?.signal ?? undefined;
    const own = new AbortController();
    const stop = () => own.abort(parent?.reason);
    if (parent?.aborted) stop();
    parent?.addEventListener('abort', stop, { once: true });
    const release = () => parent?.removeEventListener('abort', stop);
    try {
      const response = await fetch(input, { ...init, signal: own.signal });
      if (!response.body) {
        release();
        return response;
      }
      const body = response.body.pipeThrough(sizeGuard(maxMessageBytes, release));
      const guarded = new Response(body, response);
      Object.defineProperty(guarded, 'url', { value: response.url });
      return guarded;
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Counts bytes since the last blank line: one message in an event stream, otherwise the whole body. */
function sizeGuard(limit: number, release: () => void): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const boundary = Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'));
      size = boundary === -1 ? size + bytes.length : bytes.length - boundary;
      if (size > limit) controller.error(new Error(`a message is larger than ${limit} bytes`));
      else controller.enqueue(chunk);
    },
    flush: release,
    cancel: release,
  } as Transformer<Uint8Array, Uint8Array>);
}
