import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { open, phase, refusal, welcome } from './connection/connection.ts';
import { model } from './model/current.ts';
import { failure, ProjectModel } from './model/project.ts';
import { Notices } from './parts/notices.tsx';
import { linkTo, replaceRoute, route } from './routes.ts';
import { Shell } from './shell/shell.tsx';
import { keepSession, noteWanted, signIn, takeCode, takeWanted } from './sign-in/session.ts';
import { SignIn } from './sign-in/sign-in.tsx';

/** Signs in with the link's code, if the page was opened by one, and connects. */
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
    opened.start().catch((error: Error) => {
      failure.value = error.message;
    });
  });
}

// A link in another tab of this browser signs this page in as well.
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

// Whoever was at some place and has to sign in again comes back to it.
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
