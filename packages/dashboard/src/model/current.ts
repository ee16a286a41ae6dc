import { signal } from '@preact/signals';
import type { ProjectModel } from './project.ts';

/** What keeps the shown project true; undefined until the first connection. */
export const model = signal<ProjectModel | undefined>(undefined);
