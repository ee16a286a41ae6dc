// The schemas a server needs to check requests.

export { transferRecord } from './messages/transfer.ts';
export { isOperation, OPERATIONS } from './operations/operations.ts';
export { helloPayload } from './wire/payloads.ts';
