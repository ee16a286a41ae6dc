import type { Resumption } from '../resumption.ts';

/** It chooses the ids itself; its plugin reports which session is shown. */
export const opencodeResumption: Resumption = {
  options: {
    valued: [
      ...[
        '--log-level',
        '--port',
        '--hostname',
        '--mdns-domain',
        '--cors',
        '-m',
        '--model',
        '-s',
        '--session',
      ],
      ...['--prompt', '--agent', '--replay-limit'],
    ],
    once: ['-c', '--continue', '-s', '--session', '--fork', '--prompt'],
    // A word is the directory of the project.
    keepsWords: true,
  },
  resume: (id) => ['--session', id],
};
