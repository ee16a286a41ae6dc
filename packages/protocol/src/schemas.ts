// What whoever answers requests checks them with.
export { isOperation, OPERATIONS } from './operations.ts';
export { helloPayload } from './payloads.ts';
export { transferRecord } from './transfer.ts';
