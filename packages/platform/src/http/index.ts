export { type Door, type DoorsOptions, NO_PAGES, type OpenDoors, openDoors, sendJson } from './doors.ts';
export type { GuardOptions } from './guard.ts';
export { hostInUrl, isLoopbackHost, requireKeyBeyondLoopback } from './hosts.ts';
export {
  AGENT_HEADER,
  agentNameIn,
  type Credential,
  identify,
  type KeyRule,
  sameSecret,
} from './identify.ts';
export { listenError } from './listen-error.ts';
export type { HttpLimits, HttpServerOptions } from './server.ts';
