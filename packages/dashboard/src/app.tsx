import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { open, phase, refusal, welcome } from './connection/connection.ts';
import { model } from './model/current.ts';
import { failure, ProjectModel } from './model/project.ts';
import { Notices } from './parts/notices.tsx';
import type { Problem } from './parts/trouble.tsx';
import { linkTo, replaceRoute, route } from './routes.ts';
import { Shell } from './shell/shell.tsx';
import { keepSession, noteWanted, signIn, takeCode, takeWanted } from './sign-in/session.ts';
import { SignIn } from './sign-in/sign-in.tsx';

/** Signs in with the code of the link, if there is one, and connects. */
async function begin(): Promise<void> {
  const code = takeCode();
  if (code !== undefined) {
    try {
      const { session, project } = await signIn(code);
      keepSession(session);
      replaceRoute(takeWanted() ?? linkTo(project));
    } catch (error) {
      refusal.value = error as NonNullable<typeof refusal.value>;
      phase.value = 'signed-out';
      return;
    }
  }
  enter();
}

/** Shows the project that the address names, or the one this browser was signed in for. */
function enter(): void {
  model.value?.close();
  model.value = undefined;
  void open(route.value.project, (relay) => {
    const opened = new ProjectModel(relay);
    model.value = opened;
    if (route.value.project !== relay.project) replaceRoute(linkTo(relay.project));
    opened.start().catch((error: Problem) => {
      failure.value = error;
    });
  });
}

// Signing in by a link in another tab also signs in this page.
addEventListener('storage', () => {
  if (phase.value === 'signed-out') enter();
});
addEventListener('hashchange', () => {
  if (takeCodeIsThere()) void begin();
});
const takeCodeIsThere = (): boolean => location.hash.startsWith('#code=');

effect(() => {
  const shown = welcome.value?.project;
  const wanted = route.value.project;
  if (phase.peek() === 'live' && shown !== undefined && wanted !== undefined && wanted !== shown) enter();
});

// Remember the place, to return to it after signing in.
effect(() => {
  if (phase.value === 'signed-out') noteWanted();
});

export function App() {
  useEffect(() => void begin(), []);
  return (
    <>
      {phase.value === 'signed-out' ? <SignIn /> : <Shell />}
      <Notices />
    </>
  );
}
