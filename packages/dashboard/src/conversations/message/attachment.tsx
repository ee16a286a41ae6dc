import { safeLine } from '@agent-relay/protocol';
import type { AttachmentInfo } from '@agent-relay/sdk';
import { relay } from '../../connection/connection.ts';
import { BusyButton } from '../../parts/busy-button.tsx';
import { Icon } from '../../parts/icon.tsx';

const UNITS = ['byte', 'kilobyte', 'megabyte'];

export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[step] as string,
    unitDisplay: 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step);
}

/** A file on a message. It can be saved but is never opened here, because anyone may have made it. */
export function Attachment({ file }: { file: AttachmentInfo }) {
  const name = safeLine(file.name);
  const save = async () => {
    const { content } = await relay().fetchAttachment(file.id);
    const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <BusyButton onPress={save} label={`Save ${name}`}>
      <Icon name="file" />
      <span class="file-name">{name}</span>
      <span class="muted">{sizeText(file.size)}</span>
    </BusyButton>
  );
}
