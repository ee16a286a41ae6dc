import { createHash } from 'node:crypto';
import {
  ATTACHMENT_CHUNK_BYTES,
  type AttachmentInfo,
  type NewId,
  type OperationParams,
  type OperationResult,
  RelayError,
} from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Attachment, AttachmentStore } from '../ports/store/attachments.ts';
import { type Principal, requireAgent, seesWholeWorkspace } from '../principal.ts';
import { attachmentInfo } from '../reading/descriptions.ts';
import { Uploads } from './uploads.ts';

export interface AttachmentLimits {
  maxFileBytes: number;
  /** All files of one workspace together. */
  maxWorkspaceBytes: number;
}

type Finish = NonNullable<OperationParams<'ATTACH'>['finish']>;

/** Files that hang on messages: uploaded in pieces, stored once, fetched in pieces by whoever sees such a message. */
export class Attachments {
  readonly #store: AttachmentStore;
  readonly #clock: Clock;
  readonly #newId: NewId;
  readonly #limits: AttachmentLimits;
  readonly #uploads: Uploads;

  constructor(store: AttachmentStore, clock: Clock, newId: NewId, limits: AttachmentLimits) {
    this.#store = store;
    this.#clock = clock;
    this.#newId = newId;
    this.#limits = limits;
    this.#uploads = new Uploads(clock, limits.maxFileBytes);
  }

  async attach(principal: Principal, params: OperationParams<'ATTACH'>): Promise<OperationResult<'ATTACH'>> {
    const agent = requireAgent(principal);
    const { upload, offset, data, finish } = params;
    const received = this.#uploads.add(agent.id, upload, offset, Buffer.from(data, 'base64'));
    if (!finish) return { received };
    try {
      const content = this.#uploads.content(agent.id, upload);
      return { received, attachment: await this.#keep(principal, agent, finish, content) };
    } finally {
      this.#uploads.end(agent.id, upload);
    }
  }

  /** An agent has left: what it did not finish is given up. */
  left(agentId: number): void {
    this.#uploads.endAll(agentId);
  }

  async fetch(
    principal: Principal,
    { attachment: id, offset }: OperationParams<'FETCH'>,
  ): Promise<OperationResult<'FETCH'>> {
    const attachment = await this.#find(principal, id);
    const content = await this.#store.readContent(attachment.sha256, offset, ATTACHMENT_CHUNK_BYTES);
    return {
      attachment: attachmentInfo(attachment),
      offset,
      data: Buffer.from(content).toString('base64'),
      done: offset + content.length >= attachment.size,
    };
  }

  /** The files that a message of the principal takes along. */
  async visible(principal: Principal, ids: string[]): Promise<AttachmentInfo[]> {
    const found: AttachmentInfo[] = [];
    for (const id of ids) found.push(attachmentInfo(await this.#find(principal, id)));
    return found;
  }

  async #find(principal: Principal, id: string): Promise<Attachment> {
    const viewer = seesWholeWorkspace(principal) ? undefined : requireAgent(principal).id;
    const attachment = await this.#store.visibleAttachment(viewer, principal.workspace.id, id);
    if (!attachment) throw new RelayError('AttachmentNotFound', `No file ${id} can be seen by you.`);
    return attachment;
  }

  async #keep(
    principal: Principal,
    uploader: Agent,
    { name, mediaType, sha256 }: Finish,
    content: Buffer,
  ): Promise<AttachmentInfo> {
    if (createHash('sha256').update(content).digest('hex') !== sha256) {
      throw new RelayError('InvalidRequest', 'finish.sha256: the file arrived damaged.', {
        details: { field: 'finish.sha256' },
      });
    }
    await this.#requireRoom(principal, content.length);
    const attachment = {
      id: this.#newId('att'),
      name,
      mediaType,
      size: content.length,
      sha256,
      workspaceId: principal.workspace.id,
      uploadedBy: uploader.id,
      createdAt: this.#clock.now(),
    };
    await this.#store.addAttachment(attachment, content);
    return attachmentInfo(attachment);
  }

  async #requireRoom(principal: Principal, size: number): Promise<void> {
    const { maxWorkspaceBytes } = this.#limits;
    if ((await this.#store.attachmentBytes(principal.workspace.id)) + size <= maxWorkspaceBytes) return;
    throw new RelayError(
      'AttachmentTooLarge',
      `All files of the workspace together may have ${maxWorkspaceBytes} bytes.`,
    );
  }
}
