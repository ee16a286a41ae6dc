import type { ComponentChildren } from 'preact';
import { welcome } from '../connection/connection.ts';
import { runsAs } from '../model/agents.ts';
import { agents } from '../model/project.ts';
import { STATE_WORDS, stateOf } from '../overview/agent-state.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { linkTo } from '../routes.ts';
import type { TerminalSession } from './terminal-session.ts';

/** The header of a terminal: its agent and its actions. */
export function TerminalHead({ name, children }: { name: string; children: ComponentChildren }) {
  const agent = agents.value.get(name);
  const project = welcome.value?.project ?? '';
  return (
    <header class="conversation-head terminal-head">
      <a class="back" href={linkTo(project, 'terminal')} aria-label="All terminals">
        <Icon name="back" />
      </a>
      <Avatar name={name} {...(agent && { status: stateOf(agent) })} />
      <h1>
        <a href={linkTo(project, 'agent', name)}>{name}</a>
      </h1>
      <p class="muted clip terminal-program">
        {agent && [STATE_WORDS[stateOf(agent)], ...runsAs(agent)].join(' · ')}
      </p>
      {children}
    </header>
  );
}

/** Notes on the state of the terminal. */
export function SessionBanner({ session, name }: { session: TerminalSession; name: string }) {
  const text = bannerOf(session, name);
  return (
    <div role="status" aria-live="polite">
      {text !== '' && (
        <p class={session.phase.value === 'refused' ? 'banner is-error' : 'banner is-away'}>
          <Icon name="alert" />
          <span>{text}</span>
        </p>
      )}
    </div>
  );
}

function bannerOf({ phase, outcome, isBusy, wasTaken, held }: TerminalSession, name: string): string {
  switch (phase.value) {
    case 'away':
      return 'The daemon does not answer. The terminal will reconnect.';
    case 'ended':
      return `The program of ${name} has ended ${outcome.value}`.trim().concat('.');
    case 'refused':
      return outcome.value;
    default:
      if (isBusy.value)
        return `Someone else is typing in the terminal of ${name}. If you take over, they can only watch.`;
      if (wasTaken.value) return 'Someone else took over this terminal. You are watching.';
      return held.value
        ? `Messages to ${name} are held until the viewer who holds them releases them or leaves.`
        : '';
  }
}
