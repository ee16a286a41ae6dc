/** Removes undefined fields: for the SDK an absent option is not the same as an undefined one. */
export const defined = <T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
