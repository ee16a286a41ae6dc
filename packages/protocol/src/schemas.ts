// The schemas a server needs to check requests.
export { isOperation, OPERATIONS } from './operations.ts';
export { helloPayload } from './payloads.ts';
export { transferRecord } from './transfer.ts';
