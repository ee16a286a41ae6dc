export { hostInUrl, isLoopbackHost, servedHosts } from './hosts.ts';
export { listenError } from './listen-error.ts';
export { type HttpLimits, openHttpServer } from './server.ts';
