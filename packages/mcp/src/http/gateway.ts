import { randomUUID } from 'node:crypto';
import { instructions } from '../prompts/instructions.ts';
import { buildServer } from '../server/build-server.ts';
import { asClientInfo } from '../server/client-info.ts';
import type { Catalogue } from '../server/desk.ts';
import { connectInMemory } from '../server/in-memory.ts';
import { mainToolset } from '../server/prompts.ts';
import type { RelayServer } from '../server/relay-server.ts';
import type { Caller } from './caller.ts';
import type { Desks } from './desks.ts';
import type { GatewaySessions } from './gateway-sessions.ts';
import type { GatewayVisit } from './options.ts';
import type { HttpReplies } from './replies.ts';

interface Parts {
  desks: Desks;
  replies: HttpReplies;
  gatewaySessions: GatewaySessions;
}

/** Who visits the gateway. `catalogue` has the toolsets of the relay that the client wants beside it, if any. */
export const gatewayVisit = (
  caller: Caller,
  catalogue: Catalogue | undefined,
  parts: Parts,
): GatewayVisit => ({
  // What a session serves is settled when it begins: another choice of toolsets is another session. No header has a newline.
  caller: [caller.key, ...(catalogue?.tools.toolsets ?? []).map(({ name }) => name)].join('\n'),
  access: caller.access,
  name: caller.name,
  begin: (end) => parts.gatewaySessions.begin(caller, end),
  ...(catalogue ? { relay: relayServer(caller, catalogue, parts) } : {}),
});

/** The relay's own server for one visitor of the gateway, which passes on what the two say to each other. */
const relayServer = (caller: Caller, catalogue: Catalogue, { desks, replies }: Parts): RelayServer => ({
  instructions: instructions(mainToolset(catalogue.tools.toolsets).wording),
  async connect({ hasSession, info }, events) {
    const { desk, lease } = hasSession
      ? desks.session(caller, randomUUID(), catalogue, replies)
      : desks.shared(caller, catalogue, replies);
    desk.participant.introduce(asClientInfo(info));
    if (hasSession || caller.isNamed) desk.participant.start();
    const server = buildServer(desk, { era: 'legacy', lasting: true });
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
