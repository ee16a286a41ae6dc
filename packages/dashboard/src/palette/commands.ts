import { leave, welcome } from '../connection/connection.ts';
import { agents, channels, projects } from '../model/project.ts';
import { STATE_WORDS, stateOf } from '../overview/agent-state.ts';
import { openStartAgent } from '../overview/start-agent.tsx';
import type { IconName } from '../parts/icon.tsx';
import { linkTo, type Place } from '../routes.ts';
import { theme } from '../shell/theme.ts';
import { hasTerminal } from '../terminals/live-terminals.ts';
import { owners, subjectOf } from '../tools/tool.ts';

/** Something the palette can do or go to. */
export interface PaletteCommand {
  id: string;
  text: string;
  /** Its kind. */
  note: string;
  icon: IconName;
  run: () => void;
}

const project = (): string => welcome.value?.project ?? '';
const goTo =
  (place: Place, subject = '') =>
  () => {
    location.hash = linkTo(project(), place, subject);
  };

const PLACES: Array<[text: string, place: Place, icon: IconName]> = [
  ['Overview', 'overview', 'overview'],
  ['All messages', 'activity', 'threads'],
  ['Terminals', 'terminal', 'terminal'],
  ['Tools and actions', 'tools', 'plug'],
  ['Invocations', 'invocations', 'plug'],
  ['MCP servers', 'servers', 'plug'],
  ['Search messages', 'search', 'search'],
  ['Settings', 'settings', 'settings'],
];

/** Everything that matches the input, except messages. */
export function commandsFor(query: string): PaletteCommand[] {
  const words = query.trim().toLowerCase();
  const all = [...places(), ...deeds(), ...people(), ...talks(), ...tools(), ...otherProjects()];
  const ranked = all.flatMap((command) => {
    const rank = rankOf(command, words);
    return rank === undefined ? [] : [{ command, rank }];
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ command }) => command);
}

/** Lower is better: a prefix, a prefix of a word, a substring, the letters in order. */
function rankOf({ text, note }: PaletteCommand, words: string): number | undefined {
  if (words === '') return 0;
  const title = text.toLowerCase();
  if (title.startsWith(words)) return 0;
  if (title.split(/[\s._#-]+/).some((word) => word.startsWith(words))) return 1;
  if (title.includes(words)) return 2;
  if (`${title} ${note.toLowerCase()}`.includes(words)) return 3;
  let at = -1;
  for (const letter of words) {
    at = title.indexOf(letter, at + 1);
    if (at === -1) return undefined;
  }
  return 4;
}

const places = (): PaletteCommand[] =>
  PLACES.map(([text, place, icon]) => ({
    id: `place ${place}`,
    text,
    note: 'Go to',
    icon,
    run: goTo(place),
  }));

const deeds = (): PaletteCommand[] => [
  { id: 'start', text: 'Start an agent', note: 'Do', icon: 'terminal', run: openStartAgent },
  {
    id: 'theme',
    text: 'Switch between light and dark',
    note: 'Do',
    icon: 'settings',
    run: () => {
      const isDark =
        theme.value === 'dark' ||
        (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
      theme.value = isDark ? 'light' : 'dark';
    },
  },
  { id: 'leave', text: 'Sign out of this browser', note: 'Do', icon: 'signOut', run: leave },
];

const people = (): PaletteCommand[] =>
  [...agents.value.values()].flatMap((agent): PaletteCommand[] => {
    const { name, type, task } = agent;
    const what = task ?? (type === 'human' ? 'Person' : 'Agent');
    const isNeeded = stateOf(agent) === 'needs-you';
    const go = (text: string, place: Place, note: string, icon: IconName): PaletteCommand => ({
      id: `${place} ${text}`,
      text,
      note,
      icon,
      run: goTo(place, name),
    });
    return [
      go(name, 'agent', isNeeded ? `${STATE_WORDS['needs-you']} · ${what}` : what, 'person'),
      go(`Message ${name}`, 'direct', 'Do', 'dialog'),
      ...(hasTerminal(agent)
        ? [
            go(`Terminal of ${name}`, 'terminal', 'Go to', 'terminal'),
            // The page of the agent asks for confirmation.
            go(`Release ${name}`, 'agent', 'Do', 'signOut'),
          ]
        : []),
    ];
  });

const talks = (): PaletteCommand[] =>
  channels.value.map(({ name, topic, archivedAt }) => ({
    id: `channel ${name}`,
    text: name,
    note: archivedAt === undefined ? (topic ?? 'Channel') : 'Archived channel',
    icon: 'channel',
    run: goTo('channel', name.slice(1)),
  }));

const tools = (): PaletteCommand[] =>
  (owners.value ?? []).flatMap((owner) =>
    owner.tools.map((tool) => ({
      id: `tool ${subjectOf(owner, tool)}`,
      text: owner.kind === 'actions' ? tool.name : `${owner.name}.${tool.name}`,
      note: owner.kind === 'actions' ? 'Action' : 'Tool',
      icon: 'plug' as const,
      run: goTo('tools', subjectOf(owner, tool)),
    })),
  );

const otherProjects = (): PaletteCommand[] =>
  projects.value
    .filter((name) => name !== project())
    .map((name) => ({
      id: `project ${name}`,
      text: name,
      note: 'Project',
      icon: 'overview',
      run: () => {
        location.hash = linkTo(name);
      },
    }));
