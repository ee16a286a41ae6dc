export { localBackend } from './config/local-backend.ts';
export type { Outlet } from './front/call.ts';
export { type HttpFront, type HttpFrontOptions, serveGatewayHttp } from './front/http.ts';
export { HttpHandler, type HttpHandlerOptions, type Visit } from './front/http-handler.ts';
export type { Session } from './front/session.ts';
export type { GatewayStatus, ServerStatus } from './front/status.ts';
export { serveGatewayStdio } from './front/stdio.ts';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts';
export { approveChanges, type RunOptions, runGateway } from './run.ts';
