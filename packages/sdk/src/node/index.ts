export * from './discover.ts';
export * from './locations.ts';
export * from './project-config.ts';
