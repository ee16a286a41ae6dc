import { signal } from '@preact/signals';
import type { ProjectModel } from './project.ts';

/** Keeps the shown project up to date; undefined until the first connection. */
export const model = signal<ProjectModel | undefined>(undefined);
