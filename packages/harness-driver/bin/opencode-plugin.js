// The plugin of OpenCode's terminal interface in `agent-relay run`: it reports which session is shown and its state, and
// prompts it with the relay's messages. Plain JavaScript: OpenCode brings the runtime and solid-js.
import { connect } from 'node:net';
import { createEffect, createRoot } from 'solid-js';

/** The relay's message is one part of a prompt, and is known by its id. */
const OUR_PART = /^prt_msg_\w+$/;
/** Of a permission request: larger ones are allowed in the terminal. */
const MOST_CHARACTERS = 64 * 1024;

export default {
  id: 'agent-relay',
  tui: (api, { socket }) => tui(api, connect(socket)),
};

/** `socket`: to the relay. */
export async function tui(api, socket) {
  // Without a host there is nothing to do, and OpenCode must not see an error.
  socket.on('error', () => socket.destroy());
  const tell = (report) => socket.writable && socket.write(`${JSON.stringify(report)}\n`);
  /** The prompt of each answer of the model. */
  const prompts = new Map();

  const stopWatching = createRoot((dispose) => {
    createEffect(() => tell({ state: stateOf(api) }));
    return dispose;
  });
  api.lifecycle.onDispose(() => {
    stopWatching();
    socket.destroy();
  });

  api.event.on('message.updated', ({ properties: { info } }) => {
    if (info.role !== 'assistant') return;
    if (!prompts.has(info.id)) prompts.set(info.id, info.parentID);
    if (info.time.completed === undefined) return;
    prompts.delete(info.id);
    // One that did not fit into the context has neither: OpenCode makes room first, and tries again.
    if (info.finish !== undefined && info.error === undefined) tell({ succeeded: info.sessionID });
  });
  api.event.on('message.part.updated', ({ properties: { part } }) => {
    const prompt = prompts.get(part.messageID);
    if (prompt !== undefined) tell({ answers: prompt });
    else if (OUR_PART.test(part.id)) tell({ part: part.id, prompt: part.messageID });
  });
  api.event.on('session.error', ({ properties: { sessionID, error } }) => {
    const { message, statusCode } = error?.data ?? {};
    tell({ failed: sessionID, name: error?.name, message, status: statusCode });
  });

  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
    const lines = received.split('\n');
    received = lines.pop();
    for (const line of lines) void obey(JSON.parse(line));
  });

  async function obey({ request, prompt, find, reply }) {
    try {
      const done = prompt ? promptWith(prompt) : reply ? answerWith(reply) : look(find);
      tell({ answer: request, ...(await done) });
    } catch (error) {
      tell({ answer: request, failure: String(error) });
    }
  }

  /** Does nothing if `session` is no longer the one that is shown. */
  async function promptWith({ session, part, text }) {
    if (stateOf(api).session !== session) return { refused: true };
    const last = api.state.session.messages(session).findLast(({ role }) => role === 'user');
    // Those of the newest prompt: a message must not change the agent or the model that the person chose.
    const { agent, model, variant } = last ?? {};
    const parts = [{ id: part, type: 'text', text }];
    const { error } = await api.client.session.promptAsync({
      sessionID: session,
      agent,
      model,
      variant,
      parts,
    });
    return error === undefined ? { taken: true } : { refused: true };
  }

  /** Answers like OpenCode's own dialog, if the request is still open. If that fails, the dialog stays. */
  async function answerWith({ permission, reply }) {
    const { data = [] } = await api.client.permission.list();
    if (!data.some(({ id }) => id === permission)) return { refused: true };
    const { error } = await api.client.permission.reply({ requestID: permission, reply });
    return error === undefined ? { taken: true } : { refused: true };
  }

  async function look({ session, part }) {
    const { data = [] } = await api.client.session.messages({ sessionID: session, limit: 50 });
    return { found: data.some((message) => message.parts.some(({ id }) => id === part)) };
  }
}

/** The session that is shown, or the one that a shown subagent works for; reading it makes the effect run again. */
function stateOf(api) {
  const { name, params } = api.route.current;
  if (name !== 'session') return {};
  let session = params.sessionID;
  for (let parent = session; parent !== undefined; parent = api.state.session.get(parent)?.parentID)
    session = parent;
  const { type = 'idle', message, next } = api.state.session.status(session) ?? {};
  const asks = api.state.session.permission(session).length + api.state.session.question(session).length > 0;
  const permission = permissionOf(api, session);
  return { session, status: type, asks, permission, ...(type === 'retry' && { message, next }) };
}

/** What the session asks to be allowed, with the arguments of the tool unless that is too long to be passed on. */
function permissionOf(api, session) {
  const [request] = api.state.session.permission(session);
  if (request === undefined) return undefined;
  const { id, permission, metadata, tool } = request;
  const part = tool && api.state.part(tool.messageID).find(({ callID }) => callID === tool.callID);
  const told = { id, permission, metadata, input: part?.state?.input };
  return JSON.stringify(told).length > MOST_CHARACTERS ? { id, permission, isTooLong: true } : told;
}
