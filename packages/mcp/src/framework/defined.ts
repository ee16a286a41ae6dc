/** Leaves out what is undefined: for the SDK an option that is absent is not the same as one that is undefined. */
export const defined = <T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
