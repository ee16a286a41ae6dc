import { browserName, type PageSessionInfo } from '@agent-relay/protocol';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { leave, relay, relayNow, welcome } from '../connection/connection.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { CommandLine } from '../parts/command.tsx';
import { tell } from '../parts/notices.tsx';
import { Ago } from '../parts/time.tsx';
import { sessionId, storedSession } from '../sign-in/session.ts';
import { notificationProblem, setNotifications, wantsNotifications } from './notifications.ts';
import { type Theme, theme } from './theme.ts';

const THEMES: Array<[Theme, string]> = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function Settings() {
  return (
    <div class="place narrow">
      <header class="place-head">
        <h1>Settings</h1>
      </header>
      <section class="card" aria-labelledby="appearance">
        <h2 id="appearance">Appearance</h2>
        <fieldset class="choice">
          <legend class="sr-only">Theme</legend>
          {THEMES.map(([value, text]) => (
            <label key={value}>
              <input
                type="radio"
                name="theme"
                checked={theme.value === value}
                onChange={() => {
                  theme.value = value;
                }}
              />
              {text}
            </label>
          ))}
        </fieldset>
      </section>
      <section class="card" aria-labelledby="notifications">
        <h2 id="notifications">Notifications</h2>
        <label class="check">
          <input
            type="checkbox"
            checked={wantsNotifications.value}
            onChange={async ({ currentTarget }) => {
              await setNotifications(currentTarget.checked).catch(tell);
              // It may have been refused.
              currentTarget.checked = wantsNotifications.value;
            }}
          />
          Notify me when an agent asks me something or waits for me, while this page is hidden
        </label>
        {notificationProblem.value && (
          <p class="gap-above" role="alert">
            {notificationProblem.value}
          </p>
        )}
      </section>
      <Browsers />
      <section class="card" aria-labelledby="about">
        <h2 id="about">About</h2>
        <p class="gap-above">
          Agent Relay {welcome.value?.daemon.version}. You write as{' '}
          <strong>{welcome.value?.agent?.name}</strong>, as <code>agent-relay send</code> does.
        </p>
      </section>
    </div>
  );
}

/** The browsers in which the owner is signed in. */
function Browsers() {
  const sessions = useSignal<PageSessionInfo[]>([]);
  const own = sessionId(storedSession() ?? '');
  const read = async () => {
    sessions.value = (await relay().request('PAGE_SESSIONS', {})).sessions;
  };
  useEffect(() => void read().catch(tell), []);
  const signOut = async (id: string) => {
    await relayNow().request('PAGE_SESSION_REVOKE', { id });
    if (id === own) leave();
    else await read();
  };
  return (
    <section class="card" aria-labelledby="browsers">
      <h2 id="browsers">Signed-in browsers</h2>
      <ul class="rows">
        {sessions.value.map(({ id, browser, connected, usedAt, expiresAt }) => (
          <li key={id} class="row">
            <div class="row-main">
              <strong>{browserName(browser)}</strong> {id === own && <span class="tag">This browser</span>}
              <p class="muted">
                <code>{id}</code> ·{' '}
                {connected ? (
                  'open now'
                ) : (
                  <>
                    last used <Ago time={usedAt} />
                  </>
                )}{' '}
                · until {new Date(expiresAt).toLocaleDateString()}
              </p>
            </div>
            <BusyButton onPress={() => signOut(id)} label={`Sign out ${browserName(browser)} ${id}`}>
              Sign out
            </BusyButton>
          </li>
        ))}
      </ul>
      <p class="muted gap-below">To sign in another browser, print a link with</p>
      <CommandLine>agent-relay dashboard --no-open</CommandLine>
    </section>
  );
}
