import { randomUUID } from 'node:crypto';
import { instructions } from '../prompts/instructions.ts';
import { buildServer } from '../server/build-server.ts';
import type { Offering } from '../server/client-context.ts';
import { asClientInfo } from '../server/messages.ts';
import { connectInMemory, type RelayServer } from '../server/relay-server.ts';
import type { Caller } from './admission/caller.ts';
import type { GatewayVisit } from './options.ts';
import type { ClientContexts } from './participants/client-contexts.ts';
import type { GatewaySessions } from './participants/gateway-sessions.ts';
import type { HttpReplies } from './transports/replies.ts';

interface Parts {
  contexts: ClientContexts;
  replies: HttpReplies;
  gatewaySessions: GatewaySessions;
}

/** A client of the gateway. `offering` has the toolsets of the relay that the client also wants, if any. */
export const gatewayVisit = (caller: Caller, offering: Offering | undefined, parts: Parts): GatewayVisit => ({
  // The toolsets of a session are fixed: another choice is another session. No header contains a newline.
  caller: [caller.key, ...(offering?.tools.toolsets ?? []).map(({ name }) => name)].join('\n'),
  account: caller.account,
  access: caller.access,
  name: caller.name,
  begin: (end) => parts.gatewaySessions.begin(caller, end),
  ...(offering ? { relay: relayServer(caller, offering, parts) } : {}),
});

/** The relay's own server for one client of the gateway, which forwards the messages between them. */
const relayServer = (caller: Caller, offering: Offering, { contexts, replies }: Parts): RelayServer => ({
  instructions: () => instructions(offering.tools.toolsets, { name: caller.name }),
  async connect({ hasSession, info }, events) {
    const { context, lease } = hasSession
      ? contexts.session(caller, randomUUID(), offering, replies)
      : contexts.shared(caller, offering, replies);
    context.participant.introduce(asClientInfo(info));
    if (hasSession || caller.isNamed) context.participant.start();
    const server = buildServer(context, { era: 'legacy', lasting: true, instructing: false });
    const stop = lease.onclose(() => server.close());
    const closed = server.onclose;
    server.onclose = () => {
      stop();
      lease.release();
      closed?.();
    };
    return await connectInMemory(server, events);
  },
});
