import type { JsonSchema, RegisteredAction, Relay, ToolCall } from '@agent-relay/sdk';
import type { Driver, DriverCall } from './driver.ts';
import { relayDriver } from './relay-driver.ts';

/** Who may invoke them, as with every action. */
export type DriverActionOptions = Pick<RegisteredAction, 'availableTo' | 'consent'>;

const text = (description: string) => ({ type: 'string', description });
const NAME = text('Name of the agent');

const inputs = (required: string[], properties: Record<string, object>): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/**
 * Registers `agent.create`, `agent.release` and `agent.status`, and `agent.attach` if the driver can, as actions of this agent. Resolves
 * with a function that unregisters them; if one cannot be registered, none is.
 */
export async function registerDriverActions(
  relay: Relay,
  driver: Driver = relayDriver(relay),
  options: DriverActionOptions = {},
): Promise<() => Promise<void>> {
  const results = await Promise.allSettled(
    actionsOf(driver).map((action) => relay.registerAction({ ...action, ...options })),
  );
  const takeBack = async () => {
    for (const result of results) if (result.status === 'fulfilled') await result.value();
  };
  const refused = results.find((result) => result.status === 'rejected');
  if (!refused) return takeBack;
  await takeBack();
  throw refused.reason;
}

/** A handler that passes on its input, which the daemon has checked against the schema. */
const passing =
  <Request>(perform: (request: Request, call: DriverCall) => unknown) =>
  ({ input, ...call }: ToolCall<unknown>) =>
    perform(input as Request, call);

function actionsOf(driver: Driver): RegisteredAction[] {
  const actions: RegisteredAction[] = [
    {
      name: 'agent.create',
      description: 'Start an agent CLI that works for you.',
      input: inputs(['name', 'cli'], {
        name: text('Name of the new agent'),
        cli: text('claude, codex, gemini, opencode, …'),
        task: text('Its task'),
        model: text('Model of the CLI'),
        cwd: text('Directory in the project'),
        channels: { type: 'array', items: { type: 'string' }, description: 'Channels to join' },
      }),
      handler: passing(driver.create.bind(driver)),
    },
    {
      name: 'agent.release',
      description: 'Stop an agent that works for you.',
      input: inputs(['name'], { name: NAME, reason: text('Why') }),
      handler: passing(driver.release.bind(driver)),
    },
    {
      name: 'agent.status',
      description: 'Show the status of one agent, or of all.',
      input: inputs([], { name: NAME }),
      handler: passing(async (request: { name?: string }, call) => ({
        agents: await driver.status(request, call),
      })),
    },
  ];
  if (driver.attach)
    actions.push({
      name: 'agent.attach',
      description: "Show what is on an agent's terminal.",
      input: inputs(['name'], { name: NAME }),
      handler: passing(driver.attach.bind(driver)),
    });
  return actions;
}
