export { GATEWAY_TOOLSET, toolsetNames } from './framework/toolset.ts';
export type { Access, Doorkeeper } from './http/admission/access.ts';
export { type ListeningMcp, type ListenOptions, listenForMcp } from './http/listen.ts';
export type { GatewayDoor, GatewayVisit, McpHttpOptions, McpPaths } from './http/options.ts';
export { environmentName } from './participant/identity.ts';
export { createServer } from './server/create-server.ts';
export { localRelayServer, type RelayServer } from './server/relay-server.ts';
export { complaint, type StdioOptions, serveStdio, tellPerson } from './stdio/serve.ts';
