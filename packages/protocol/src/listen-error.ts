import { RelayError } from './errors.ts';

/** Why a server cannot listen, and what a person can do about it; `choose` says how to choose another port. */
export function listenError(
  cause: Error & { code?: string },
  { host, port }: { host: string; port: number },
  choose = '',
): RelayError {
  if (cause.code === 'EADDRINUSE') {
    return new RelayError('PortInUse', `Port ${port} on ${host} is in use by another program.`, {
      next: `Stop that program, or choose another port${choose}.`,
      cause,
    });
  }
  return new RelayError(
    'InvalidSettings',
    `Nobody can listen on port ${port} of ${host}: ${cause.message}.`,
    {
      next: `Choose an address of this machine, such as 127.0.0.1, and a port that you may use${choose}.`,
      cause,
    },
  );
}
