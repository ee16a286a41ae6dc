import type { Toolset, Wording } from '../../framework/toolset.ts';

export const rolesWording: Wording = {
  send: (to, message) => `post_message(from=YOUR_ROLE, to="${to}", kind="free", body="${message}")`,
  answer: ({ from }) => `post_message(from=YOUR_ROLE, to="${from}", kind="free", body="…")`,
  agents: 'the resource relay://agents',
  agentsAndTasks: 'the resource relay://agents',
  inbox: 'read_messages',
  nextSteps: {},
};

const WHEN_TO_READ = 'Call read_messages(for=YOUR_ROLE) before you start a task and after you finish one.';
const WHEN_TO_POST =
  'After any status, question or directive that you write, call post_message(from=YOUR_ROLE, to, kind, body), with its kind and its text as the body.';

/** A session has the role named in its prompt; its agent does not matter. */
export const rolesGuide = (roles: readonly string[]): NonNullable<Toolset['guide']> => ({
  instructions: [
    `You have one of the roles ${roles.join(', ')}; your prompt says which.`,
    WHEN_TO_READ,
    WHEN_TO_POST,
  ].join(' '),
  protocol: `# Working in a role

You share a project with other sessions. Each has one of these roles: ${roles.join(', ')}. Your prompt says which one is yours;
use it for YOUR_ROLE in the calls below. Use these tools instead of asking your user to copy messages.

- ${WHEN_TO_READ} Each message is returned once.
- list_pending(for=YOUR_ROLE) counts the waiting messages without taking them.
- ${WHEN_TO_POST}

| kind | use it for |
|---|---|
| status | what you finished, and how to check it |
| question | what you need to know to continue |
| directive | what another role should do next |
| free | anything else |

Messages are stored before the tool returns, even for roles without a session. If a result has "held", the message was not
delivered: the relay holds conversations without new content. Stop, and tell your user.
`,
});
