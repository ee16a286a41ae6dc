export { cannotUse, ensureDirectory, ensurePrivateDirectory } from './files/directories.ts';
export { isMissing, isThere, readIfThere } from './files/missing.ts';
export { checkOwner, closeToOthers, isOwn, isWritableByOthers } from './files/ownership.ts';
export { listenOnPrivateSocket } from './files/private-socket.ts';
export { createOnce, writeAtomically } from './files/write.ts';
export { fileLines } from './lines/file-lines.ts';
export { LineReader } from './lines/line-reader.ts';
export { rowsOf, wrap } from './lines/wrap.ts';
export { systemReason } from './system-reason.ts';
