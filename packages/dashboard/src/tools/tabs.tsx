import { welcome } from '../connection/connection.ts';
import { linkTo, type Place, route } from '../routes.ts';

const TABS: Array<{ place: Place; text: string }> = [
  { place: 'tools', text: 'Tools and actions' },
  { place: 'invocations', text: 'Invocations' },
  { place: 'servers', text: 'MCP servers' },
];

/** Tabs: tools, invocations, servers. */
export const ToolTabs = () => (
  <nav class="tabs" aria-label="Tools">
    {TABS.map(({ place, text }) => (
      <a
        key={place}
        href={linkTo(welcome.value?.project ?? '', place)}
        aria-current={route.value.place === place ? 'page' : undefined}
      >
        {text}
      </a>
    ))}
  </nav>
);
