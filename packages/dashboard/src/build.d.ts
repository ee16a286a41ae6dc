/** The version of the program, put in by the build. */
declare const VERSION: string;
declare module '*.css';
