const BROWSERS: Array<[mark: string, name: string]> = [
  ['Firefox/', 'Firefox'],
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: Array<[mark: string, name: string]> = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];

/** A readable browser name, from its User-Agent. */
export function browserName(userAgent = ''): string {
  const found = (names: typeof BROWSERS) => names.find(([mark]) => userAgent.includes(mark))?.[1];
  const browser = found(BROWSERS);
  if (browser === undefined) return userAgent.slice(0, 40) || 'unknown browser';
  const system = found(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
