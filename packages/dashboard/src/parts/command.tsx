import { useSignal } from '@preact/signals';

/** A name that others chose, in a command to copy: nothing that a shell would execute. */
export const shellWord = (name: string, otherwise: string): string =>
  /^#?[\w-]+(,[\w-]+)*$/.test(name) ? name : otherwise;

/** How to run a CLI as an agent with this name. */
export const runCommand = (name: string, cli: string): string =>
  `agent-relay run --name ${shellWord(name, 'Alice')} -- ${shellWord(cli, 'claude')}`;

/** A command to copy. */
export function CommandLine({ children }: { children: string }) {
  const copied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(children);
    copied.value = true;
    setTimeout(() => {
      copied.value = false;
    }, 1500);
  };
  return (
    <span class="command">
      <code>{children}</code>
      {/* Only where the browser lets a page do it: over TLS, and on this machine. */}
      {navigator.clipboard && (
        <button type="button" class="quiet" onClick={copy}>
          {copied.value ? 'Copied' : 'Copy'}
        </button>
      )}
    </span>
  );
}
