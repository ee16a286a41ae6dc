import { control, type Layout, type Pane } from './layout.ts';

const SIZE = ['-x', '220', '-y', '60'];

/** Opens the panes in a new window of this tmux session, or of a new one; resolves with how to attach. */
export async function openTmux({ name, panes, directory, env }: Layout): Promise<string[] | undefined> {
  const isInside = Boolean(process.env.TMUX);
  const shell = ({ env: own }: Pane) => [
    ...['-P', '-F', '#{pane_id}', '-c', directory],
    ...Object.entries({ ...env, ...own }).flatMap(setting),
  ];
  const [first, ...others] = panes;
  const opening = isInside ? ['new-window', '-n', name] : ['new-session', '-d', '-s', name, ...SIZE];
  const firstId = await control('tmux', [...opening, ...shell(first)]);
  await load(firstId, first);
  let lastId = firstId;
  for (const pane of others) {
    lastId = await control('tmux', ['split-window', '-t', lastId, ...shell(pane)]);
    // Each time, or there would soon be no space to split.
    await control('tmux', ['select-layout', '-t', lastId, 'tiled']);
    await load(lastId, pane);
  }
  await control('tmux', ['select-pane', '-t', firstId]);
  return isInside ? undefined : ['tmux', 'attach', '-t', name];
}

const setting = ([name, value]: [string, string]): string[] => ['-e', `${name}=${value}`];

async function load(id: string, { title, command, runs }: Pane): Promise<void> {
  await control('tmux', ['select-pane', '-t', id, '-T', title]);
  await control('tmux', ['send-keys', '-t', id, '-l', '--', command]);
  if (runs) await control('tmux', ['send-keys', '-t', id, 'Enter']);
}
