import { relayNow } from '../connection/connection.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { tell } from '../parts/notices.tsx';

async function add(values: FormData): Promise<void> {
  const name = String(values.get('name'));
  const { health, tools } = await relayNow().servers.add(name, String(values.get('url')).trim());
  tell(
    health === 'healthy'
      ? `Added ${name}: ${tools} ${tools === 1 ? 'tool' : 'tools'}.`
      : `Added ${name}. It is not connected yet.`,
  );
}

/** A form that adds a server by URL. */
export const AddServer = ({ onAdded }: { onAdded: () => Promise<void> }) => (
  <DialogForm
    title="Add an MCP server"
    opener={(open) => (
      <button type="button" class="push-right" onClick={open}>
        Add a server
      </button>
    )}
    submit={{ text: 'Add', busy: 'Connecting…' }}
    onSubmit={async (values) => {
      await add(values);
      await onAdded();
    }}
  >
    <label class="field">
      Name
      <input name="name" required pattern="[A-Za-z0-9_.\-]+" maxLength={64} autocomplete="off" />
    </label>
    <label class="field">
      Address
      <input name="url" required placeholder="https://…, wss://…" inputMode="url" autocomplete="off" />
    </label>
    <p class="muted small">
      It is saved in the first file that lists servers. To add a program, edit that file.
    </p>
  </DialogForm>
);
