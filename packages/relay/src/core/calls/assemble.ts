import type { NewId } from '@agent-relay/protocol';
import type { Awaits } from '../delivery/awaits.ts';
import type { Deliveries } from '../delivery/deliveries.ts';
import type { Agents } from '../directory/agents.ts';
import type { Channels } from '../directory/channels.ts';
import type { OfferedTools } from '../directory/offered-tools.ts';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { SendRates } from '../governance/send-rates.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory } from '../ports/directory.ts';
import type { Store } from '../ports/store.ts';
import type { Messages } from '../sending/messages.ts';
import { ActionAudience } from './actions/audience.ts';
import { Invocations } from './actions/invocations.ts';
import { ConsentAnswers } from './asking/consent-answers.ts';
import { Consents } from './asking/consents.ts';
import { Questions } from './asking/questions.ts';
import { Callees } from './callees.ts';
import { Calls } from './calls.ts';
import { ServedTools } from './served-tools.ts';
import { CallTargets } from './targets.ts';

interface Parts {
  store: Store;
  clock: Clock;
  bus: Bus;
  directory: Directory;
  newId: NewId;
  agents: Agents;
  channels: Channels;
  workspaces: Workspaces;
  presence: Presence;
  tools: OfferedTools;
  quotas: Quotas;
  rates: SendRates;
  messages: Messages;
  awaits: Awaits;
  deliveries: Deliveries;
  /** Identifies this daemon among those that share the store. */
  node: string;
  background: (work: Promise<void>) => Promise<void>;
  onError: (error: unknown) => void;
}

interface AssembledCalls {
  served: ServedTools;
  callees: Callees;
  targets: CallTargets;
  calls: Calls;
  consentAnswers: ConsentAnswers;
  invocations: Invocations;
}

/** The part of the domain in which agents call each other's tools. Names of agents, servers and actions exclude each other. */
export function assembleCalls(parts: Parts): AssembledCalls {
  const { store, clock, bus, directory, newId, agents, channels, workspaces, presence, tools, quotas } =
    parts;
  const { rates, messages, awaits, deliveries, node, background, onError } = parts;

  const served = new ServedTools({
    directory,
    presence,
    quotas,
    clock,
    nameOf: (agentId) => agents.byId(agentId)?.name ?? 'another agent',
    holderOf: ({ id, workspaceId }, word) => {
      const backend = targets.backends.beginningWith(word);
      if (backend !== undefined) return `the MCP server ${backend}`;
      const agent = agents.find(workspaces.byId(workspaceId), word);
      return agent && agent.id !== id ? `the agent ${agent.name}` : undefined;
    },
  });
  const callees = new Callees({ bus, newId, served });
  const targets = new CallTargets({
    agents,
    presence,
    offered: tools,
    served,
    audience: new ActionAudience(agents, channels),
  });
  const questions = new Questions({ messages, awaits, deliveries, quotas, background });
  const consentAnswers = new ConsentAnswers({ store, clock, agents, messages, questions, newId });
  const consents = new Consents({ agents, presence, clock, questions, answers: consentAnswers });
  const calls = new Calls({
    ...{
      store,
      bus,
      clock,
      newId,
      presence,
      workspaces,
      quotas,
      rates,
      targets,
      questions,
      consents,
      onError,
    },
  });

  const invocations = new Invocations({
    ...{ store, clock, bus, newId, presence, workspaces, quotas, targets, calls, onError },
    node,
  });

  agents.callHolder = (workspaceId, word, own) => {
    const backend = targets.backends.beginningWith(word);
    if (backend !== undefined) return `The daemon has an MCP server named "${backend}".`;
    const twin = own && served.twinUnder(own.id, word);
    if (twin !== undefined) return `${own?.name} has an action named "${twin}", which would be its tool too.`;
    const found = served.actionBeginningWith(workspaceId, word);
    if (!found || found.server.agentId === own?.id) return undefined;
    return `${agents.byId(found.server.agentId)?.name ?? 'Another agent'} has an action named "${found.action.name}".`;
  };

  return { served, callees, targets, calls, consentAnswers, invocations };
}
