/** What would tell a program that it is in somebody else's terminal or session. */
const NOT_INHERITED =
  /^(RELAY_|TMUX|STY$|TERM_PROGRAM|TERM_SESSION_ID$|WINDOWID$|COLUMNS$|LINES$|CLAUDECODE$|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION)|NODE_CHANNEL_)/;

/** The environment of the host itself: the daemon's, without its secrets. */
export const hostEnvironment = (own: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !name.startsWith('RELAY_')));

/** The environment of a spawned agent: that of whoever asked for it, without who they are to the relay. */
export function agentEnvironment(
  inherited: NodeJS.ProcessEnv,
  own: { name: string; token: string; project: string; dataDirectory: string },
): Record<string, string> {
  const kept = Object.entries(inherited).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !NOT_INHERITED.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    RELAY_DATA_DIR: own.dataDirectory,
    RELAY_PROJECT: own.project,
    RELAY_AGENT_NAME: own.name,
    RELAY_AGENT_TOKEN: own.token,
  };
}
