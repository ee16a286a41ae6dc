import { welcome } from '../connection/connection.ts';
import { CommandLine, runCommand } from '../parts/command.tsx';
import { linkTo } from '../routes.ts';

/** Shown instead of an agent's page if there is no such agent. */
export const UnknownAgent = ({ name }: { name: string }) => (
  <section class="card empty">
    <h2>No agent is named {name}</h2>
    <p>It may have been renamed or removed. Start one with this name:</p>
    <CommandLine>{runCommand(name, 'claude')}</CommandLine>
    <a class="button" href={linkTo(welcome.value?.project ?? '')}>
      All agents
    </a>
  </section>
);
