export { type Door, type DoorsOptions, NO_PAGES, openDoors, sendJson } from './doors.ts';
export { isLoopbackHost, requireKeyBeyondLoopback } from './hosts.ts';
export { AGENT_HEADER, afterWrongSecret, agentNameIn, identify, type KeyRule } from './identify.ts';
export { listenError } from './listen-error.ts';
export { readBody, readJson } from './read-json.ts';
