// Everything of the browser-safe entry, with a `connect` that also finds local daemons.
export * from '../index.ts';
export { connect, joinedProject, type NodeConnectOptions } from './connect.ts';
export { findDaemonSocket } from './discovery/daemon-socket.ts';
export {
  DEFAULT_PROJECT,
  type Discovery,
  type DiscoveryOptions,
  type DiscoverySource,
  discoverSocket,
  projectAt,
  startOfSearch,
} from './discovery/discover.ts';
export { repositoryOf } from './discovery/git-worktree.ts';
export { type JoinedProject, type ProjectFrom, strayNotice } from './discovery/joined.ts';
export {
  checkDataDirectory,
  dataDirectory,
  type Environment,
  MAX_SOCKET_PATH_BYTES,
  prepareSocketPath,
  projectDirectory,
} from './discovery/locations.ts';
export {
  findProjectConfig,
  type OnIgnored,
  type ProjectConfig,
  prepareProjectConfig,
  writeProjectConfig,
} from './discovery/project-config.ts';
export { type ProjectNames, publishProjectNames, renamedTo } from './discovery/project-names.ts';
export { type RunningProject, runningProjects } from './discovery/running-projects.ts';
export { noteListedTools, untilToolsListed } from './listed-tools.ts';
export { isPerson, personName } from './person.ts';
export {
  localAgentToken,
  localTokenSource,
  removeLocalAgentToken,
  removeLocalAgentTokens,
  renameLocalAgentToken,
  replaceLocalAgentToken,
  type TokenSource,
} from './tokens.ts';
