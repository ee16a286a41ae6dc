export { attachTerminal } from './attach/attach.ts';
export type { AgentStatus, CreateRequest, Driver, DriverCall, ShownTerminal } from './driver/driver.ts';
export { type DriverActionOptions, registerDriverActions } from './driver/register-driver-actions.ts';
export { type RelayDriverOptions, relayDriver } from './driver/relay-driver.ts';
export { type DetachedRun, runDetached } from './host/run-detached.ts';
export { type RunOptions, type RunResult, runInTerminal } from './host/run-in-terminal.ts';
export { runInstalledPlugin } from './installed-hooks/run-installed-plugin.ts';
