// Everything of the browser-safe entry, with a `connect` that also finds local daemons.
export * from '../index.ts';
export { connect, type NodeConnectOptions } from './connect.ts';
export { findDaemonSocket } from './daemon-socket.ts';
export {
  DEFAULT_PROJECT,
  type Discovery,
  type DiscoveryOptions,
  type DiscoverySource,
  discoverSocket,
  projectAt,
  runningProjects,
} from './discover.ts';
export { repositoryOf } from './git-worktree.ts';
export {
  checkDataDirectory,
  dataDirectory,
  type Environment,
  MAX_SOCKET_PATH_BYTES,
  prepareSocketPath,
  projectDirectory,
} from './locations.ts';
export { isPerson, personName } from './person.ts';
export {
  findProjectConfig,
  type OnIgnored,
  type ProjectConfig,
  prepareProjectConfig,
  writeProjectConfig,
} from './project-config.ts';
export { type ProjectNames, publishProjectNames, renamedTo } from './project-names.ts';
export {
  localAgentToken,
  localTokenSource,
  removeLocalAgentToken,
  removeLocalAgentTokens,
  renameLocalAgentToken,
  replaceLocalAgentToken,
  type TokenSource,
} from './tokens.ts';
