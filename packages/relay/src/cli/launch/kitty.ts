import { control, type Layout } from './layout.ts';

/** Opens the panes as windows of a new kitty tab; kitty must allow remote control. */
export async function openKitty({ name, panes, directory, env }: Layout): Promise<void> {
  let first: string | undefined;
  for (const { title, command, runs, env: own } of panes) {
    const variables = Object.entries({ ...env, ...own }).map(([key, value]) => `--env=${key}=${value}`);
    const shell = [`--cwd=${directory}`, ...variables];
    const position =
      first === undefined
        ? ['--type=tab', `--tab-title=${name}`]
        : ['--type=window', `--match=window_id:${first}`];
    const id = await control('kitty', ['@', 'launch', ...position, `--title=${title}`, ...shell]);
    first ??= id;
    // Over stdin: in an argument, kitty interprets backslashes.
    await control(
      'kitty',
      ['@', 'send-text', `--match=id:${id}`, '--stdin'],
      runs ? `${command}\r` : command,
    );
  }
}
