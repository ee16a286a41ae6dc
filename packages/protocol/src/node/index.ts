// What the HTTP servers of several packages share. It needs Node; everything else of this package runs in a browser.
export { hostInUrl, isLoopbackHost, servedHosts } from './hosts.ts';
export { type HttpLimits, openHttpServer } from './http-server.ts';
export { listenError } from './listen-error.ts';
