/** The program's version, set by the build. */
declare const VERSION: string;
declare module '*.css';
