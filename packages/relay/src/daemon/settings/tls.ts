import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { RelayError } from '@agent-relay/protocol';

/** What a server needs for HTTPS. */
export interface Tls {
  cert: Buffer;
  key: Buffer;
}

/** Reads a certificate and its key, for every door. Refuses files that cannot be used. */
export async function readTls(certificateFile: string, keyFile: string): Promise<Tls> {
  try {
    const tls = { cert: await readFile(certificateFile), key: await readFile(keyFile) };
    createSecureContext(tls);
    return tls;
  } catch (cause) {
    throw new RelayError(
      'InvalidSettings',
      `The TLS files ${certificateFile} and ${keyFile} cannot be used: ${(cause as Error).message}.`,
      { next: 'Give a certificate and its private key as PEM files that you can read.', cause },
    );
  }
}
