import { GENERAL_CHANNEL } from '@agent-relay/protocol';
import { type Prompt, userText } from '../framework/prompt.ts';
import { knownAgents, knownChannels } from '../participant/known-names.ts';

export const coordinateTask: Prompt = {
  name: 'coordinate_task',
  description: 'Coordinate a task across several agents',
  arguments: [
    { name: 'task', description: 'What is to be done', required: true },
    {
      name: 'agents',
      description: 'Names of the agents, separated by commas',
      required: true,
      values: knownAgents,
    },
  ],
  get: ({ task, agents }, { wording: { send, agents: list, inbox } }) =>
    userText(`You lead this task, with the help of ${agents}.

Task: ${task}

1. See who of them is online: ${list}. Somebody who is offline gets your message on return; plan for the wait.
2. Cut the task into parts that can be done side by side, one owner each. Say for each part what "done" means and
   which files it may touch.
3. Give every agent its part in one message: ${send('NAME', 'Your part: …')}. Ask for an ACK at the start and a DONE
   with the result at the end.
4. Look for their answers with ${inbox}. Answer questions at once, and pass on what one part needs from another.
5. When all parts are DONE, check that they fit together, then report the outcome: ${send(`#${GENERAL_CHANNEL}`, '…')}.`),
};

export const handoffWork: Prompt = {
  name: 'handoff_work',
  description: 'Hand work over to another agent, with everything it needs to know',
  arguments: [
    { name: 'to', description: 'Who takes over', required: true, values: knownAgents },
    { name: 'context', description: 'What the work is about', required: true },
  ],
  get: ({ to = '', context }, { wording: { send, inbox } }) =>
    userText(`Hand this work over to ${to}:

${context}

Write one message that stands on its own, and send it: ${send(to, '…')}. It says
1. what is finished, and how you know;
2. what is left, in the order you would do it;
3. what is in the way, and what you tried;
4. where things are: files, branches, commands, links.
Then wait for an ACK (${inbox}) before you stop working on it.`),
};

export const statusReport: Prompt = {
  name: 'status_report',
  description: 'Write a status report for the team',
  arguments: [
    {
      name: 'channel',
      description: 'Where to post it; #general if left out',
      required: false,
      values: knownChannels,
    },
  ],
  get: ({ channel = GENERAL_CHANNEL }, { wording: { send, agentsAndTasks, inbox } }) =>
    userText(`Write a status report for the team.

1. See who is there and what they work on: ${agentsAndTasks}.
2. Read what came in lately: ${inbox}.
3. Sum it up in a few lines: who works on what, what was finished, what is blocked and on whom.
4. Post it: ${send(`#${channel.replace(/^#/, '')}`, '…')}.
Report only what you saw. Say so where you do not know.`),
};
