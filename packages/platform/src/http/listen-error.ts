import { RelayError } from '@agent-relay/protocol';
import { hostInUrl } from './hosts.ts';
import { findPortHolder, type PortHolder } from './port-holder.ts';

/** The address of a server; `choosePort` says how to choose another port, such as `--port`. */
export interface ListenAddress {
  host: string;
  port: number;
  choosePort?: string | undefined;
}

/** Why a server cannot listen, and what a person can do about it. */
export async function listenError(
  cause: Error & { code?: string },
  address: ListenAddress,
): Promise<RelayError> {
  if (cause.code === 'EADDRINUSE') return await portInUse(address, cause);
  const { host, port, choosePort } = address;
  return new RelayError('InvalidSettings', `Cannot listen on ${hostInUrl(host)}:${port}: ${cause.message}.`, {
    next: `Choose an address of this machine, such as 127.0.0.1, and a port you are allowed to use${withOption(choosePort)}.`,
    cause,
  });
}

/** Names the process that listens on the port and how to stop it; others are merely connected to it. */
async function portInUse({ host, port, choosePort }: ListenAddress, cause: unknown): Promise<RelayError> {
  const holder = await findPortHolder(port);
  return new RelayError('PortInUse', `Port ${port} on ${host} is in use by ${nameOf(holder)}.`, {
    next: `Choose another port${withOption(choosePort)}, or stop that program: ${stopCommand(port, holder)}`,
    cause,
  });
}

const nameOf = (holder: PortHolder | undefined): string =>
  holder ? `process ${holder.pid} (${holder.command || 'unknown'})` : 'another program';

const stopCommand = (port: number, holder: PortHolder | undefined): string =>
  holder ? `kill ${holder.pid}` : `kill $(lsof -ti:${port} -sTCP:LISTEN)`;

const withOption = (choosePort: string | undefined): string => (choosePort ? ` with ${choosePort}` : '');
