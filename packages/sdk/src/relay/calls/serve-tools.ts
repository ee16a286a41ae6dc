import type { ClientSession } from '../../connection/client-session.ts';
import { Terminals } from '../terminals/terminals.ts';
import { Workers } from '../terminals/workers.ts';
import { call } from './call.ts';
import { ServedTools } from './served-tools.ts';

/** Makes the session handle the calls of its tools and actions. */
export function serveTools(session: ClientSession): ServedTools {
  const tools = new ServedTools({
    serve: (offer) => session.request('SERVE', offer),
    refused: (refusal) => {
      if (session.events.emit('tools.refused', refusal)) return;
      // Without a listener, the program would not notice that nobody can call it.
      console.warn(`No longer offered: ${refusal.names.join(', ')}. ${refusal.error.message}`);
    },
    progress: (payload) => session.post('PROGRESS', payload),
    result: (payload) => session.request('RESULT', payload),
    call: (target, args, options) => call(session, target, args, options),
    forCaller: (callId) => ({
      workers: new Workers(session, callId),
      terminals: new Terminals(session, callId),
    }),
  });
  session.tools = tools;
  return tools;
}
