import type { ChannelInfo } from '@agent-relay/sdk';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { unread } from '../model/project.ts';
import { Menu, type MenuAction } from '../parts/menu.tsx';
import { tell } from '../parts/notices.tsx';
import { linkTo } from '../routes.ts';
import { panel } from './panel-state.ts';

/** What can be done with a channel in the list. */
export const ChannelMenu = ({ channel }: { channel: ChannelInfo }) => (
  <Menu label={`Actions for ${channel.name}`} actions={() => actionsFor(channel)} />
);

function actionsFor({ name, joined, archivedAt }: ChannelInfo): MenuAction[] {
  const news = [...unread.value.values()].filter(({ channel }) => channel === name);
  const actions: MenuAction[] = [{ text: 'Topic and members', icon: 'group', run: () => showDetails(name) }];
  if (news.length > 0)
    actions.push({ text: 'Mark as read', icon: 'check', run: () => model.value?.markRead(news) });
  if (archivedAt !== undefined)
    return [...actions, { text: 'Reopen', icon: 'loop', run: () => change(name, 'reopen') }];
  const membership: MenuAction = joined
    ? { text: 'Leave', icon: 'signOut', run: () => change(name, 'leave', 'join') }
    : { text: 'Join', icon: 'plus', run: () => change(name, 'join') };
  return [
    ...actions,
    membership,
    { text: 'Archive', icon: 'file', run: () => change(name, 'archive', 'reopen') },
  ];
}

const CHANGES = {
  join: { work: (name: string) => relay().channels.join(name), done: 'Joined' },
  leave: { work: (name: string) => relay().channels.leave(name), done: 'Left' },
  archive: { work: (name: string) => relay().channels.archive(name), done: 'Archived' },
  reopen: { work: (name: string) => relay().channels.archive(name, { archived: false }), done: 'Reopened' },
};
type Change = keyof typeof CHANGES;

/** Waits for the new list, so that the notice and the change appear together. */
async function change(name: string, what: Change, undo?: Change): Promise<void> {
  await CHANGES[what].work(name);
  await model.value?.readChannels();
  tell(`${CHANGES[what].done} ${name}.`, undo && (() => change(name, undo)));
}

/** Goes to the channel and shows its details. */
function showDetails(name: string): void {
  panel.value = { kind: 'channel', channel: name };
  location.hash = linkTo(welcome.value?.project ?? '', 'channel', name.slice(1));
}
