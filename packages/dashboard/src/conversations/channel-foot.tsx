import type { ComponentChildren } from 'preact';
import { relay } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { channels } from '../model/project.ts';
import { BusyButton } from '../parts/busy-button.tsx';

/** What the person writes with, if they can write to the channel; otherwise why not. */
export function ChannelFoot({ channel, children }: { channel: string; children: ComponentChildren }) {
  const known = channels.value.find(({ name }) => name === channel);
  if (known?.archivedAt !== undefined) return <p class="foot-note muted">This channel is archived.</p>;
  if (known?.joined !== false) return children;
  return (
    <p class="foot-note muted">
      You are not in this channel.
      <BusyButton
        onPress={async () => {
          await relay().channels.join(channel);
          await model.value?.readChannels();
        }}
      >
        Join {channel}
      </BusyButton>
    </p>
  );
}
