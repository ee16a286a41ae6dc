import { GENERAL_CHANNEL } from '@agent-relay/protocol';
import { type Prompt, userText } from '../framework/prompt.ts';
import { knownAgents, knownChannels } from '../participant/known-names.ts';

export const coordinateTask: Prompt = {
  name: 'coordinate_task',
  description: 'Coordinate a task across several agents',
  arguments: [
    { name: 'task', description: 'What to do', required: true },
    {
      name: 'agents',
      description: 'Comma-separated agent names',
      required: true,
      values: knownAgents,
    },
  ],
  get: ({ task, agents }, { wording: { send, agents: list, inbox } }) =>
    userText(`You lead this task, with the help of ${agents}.

Task: ${task}

1. Check which of them are online: ${list}. Offline agents get your message when they return; plan for the wait.
2. Split the task into parts that can be done in parallel, with one owner each. Say for each part what "done" means and
   which files it may change.
3. Give every agent its part in one message: ${send('NAME', 'Your part: …')}. Ask for an ACK at the start and a DONE
   with the result at the end.
4. Check for replies with ${inbox}. Answer questions right away, and pass on what one part needs from another.
5. When all parts are DONE, check that they work together, then report the result: ${send(`#${GENERAL_CHANNEL}`, '…')}.`),
};

export const handoffWork: Prompt = {
  name: 'handoff_work',
  description: 'Hand work over to another agent with everything it needs',
  arguments: [
    { name: 'to', description: 'Who takes over', required: true, values: knownAgents },
    { name: 'context', description: 'What the work is about', required: true },
  ],
  get: ({ to = '', context }, { wording: { send, inbox } }) =>
    userText(`Hand this work over to ${to}:

${context}

Write one self-contained message and send it: ${send(to, '…')}. Include
1. what is finished, and how you know;
2. what is left, in the order you would do it;
3. what is blocking the work, and what you tried;
4. where things are: files, branches, commands, links.
Then wait for an ACK (${inbox}) before you stop working on it.`),
};

export const statusReport: Prompt = {
  name: 'status_report',
  description: 'Write a status report for the team',
  arguments: [
    {
      name: 'channel',
      description: 'Where to post it (default: #general)',
      required: false,
      values: knownChannels,
    },
  ],
  get: ({ channel = GENERAL_CHANNEL }, { wording: { send, agentsAndTasks, inbox } }) =>
    userText(`Write a status report for the team.

1. List the agents and what they are working on: ${agentsAndTasks}.
2. Read recent messages: ${inbox}.
3. Summarize in a few lines: who is working on what, what is finished, what is blocked and by whom.
4. Post it: ${send(`#${channel.replace(/^#/, '')}`, '…')}.
Report only what you have seen. If you do not know something, say so.`),
};
