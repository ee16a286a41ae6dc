import { join } from 'node:path';

export const logDirectory = (dataDirectory: string): string => join(dataDirectory, 'logs');

/** The log of a background daemon. */
export const logFile = (dataDirectory: string): string => join(logDirectory(dataDirectory), 'daemon.log');

/** Error output of the hosts of spawned agents that did not reach the daemon. */
export const hostLogFile = (dataDirectory: string): string => join(logDirectory(dataDirectory), 'hosts.log');

/** What a background daemon could not log, such as a crash of Node; truncated at each start. */
export const outputFile = (dataDirectory: string): string =>
  join(logDirectory(dataDirectory), 'daemon-output.log');
