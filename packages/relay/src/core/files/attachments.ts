import { createHash } from 'node:crypto';
import {
  ATTACHMENT_CHUNK_BYTES,
  type AttachmentInfo,
  type NewId,
  type OperationParams,
  type OperationResult,
  RelayError,
} from '@agent-relay/protocol';
import { accountOf } from '../governance/accounts.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Attachment, AttachmentStore } from '../ports/store/attachments.ts';
import { type Principal, requireAgent, seesWholeWorkspace } from '../principal.ts';
import { attachmentInfo } from '../reading/descriptions.ts';
import { Uploads } from './uploads.ts';

export interface AttachmentLimits {
  maxFileBytes: number;
  /** Total size of the files of a workspace. */
  maxWorkspaceBytes: number;
}

interface Dependencies {
  store: AttachmentStore;
  clock: Clock;
  newId: NewId;
  limits: AttachmentLimits;
  quotas: Quotas;
}

type Finish = NonNullable<OperationParams<'ATTACH'>['finish']>;

/** Files attached to messages: uploaded in pieces, stored once, fetched in pieces by anyone who can see the message. */
export class Attachments {
  readonly #store: AttachmentStore;
  readonly #clock: Clock;
  readonly #newId: NewId;
  readonly #limits: AttachmentLimits;
  readonly #quotas: Quotas;
  readonly #uploads: Uploads;
  /** Files within the limits that are being stored: the store may already have them. */
  readonly #arriving = new Set<Attachment>();
  /** The last check for space; serialized, so that each check includes the ones before. */
  #roomChecked: Promise<unknown> = Promise.resolve();

  constructor({ store, clock, newId, limits, quotas }: Dependencies) {
    this.#store = store;
    this.#clock = clock;
    this.#newId = newId;
    this.#limits = limits;
    this.#quotas = quotas;
    this.#uploads = new Uploads(clock, limits.maxFileBytes);
  }

  async attach(principal: Principal, params: OperationParams<'ATTACH'>): Promise<OperationResult<'ATTACH'>> {
    const agent = requireAgent(principal);
    const { upload, offset, data, finish } = params;
    const received = this.#uploads.add(agent, upload, offset, Buffer.from(data, 'base64'));
    if (!finish) return { received };
    try {
      const content = this.#uploads.content(agent.id, upload);
      return { received, attachment: await this.#keep(principal, agent, finish, content) };
    } finally {
      this.#uploads.end(agent.id, upload);
    }
  }

  /** An agent disconnected: drops its unfinished uploads. */
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

  /** The files to attach to a message of the principal. */
  async visible(principal: Principal, ids: string[]): Promise<AttachmentInfo[]> {
    const found: AttachmentInfo[] = [];
    for (const id of ids) found.push(attachmentInfo(await this.#find(principal, id)));
    return found;
  }

  async #find(principal: Principal, id: string): Promise<Attachment> {
    const viewer = seesWholeWorkspace(principal) ? undefined : requireAgent(principal).id;
    const attachment = await this.#store.visibleAttachment(viewer, principal.workspace.id, id);
    if (!attachment)
      throw new RelayError('AttachmentNotFound', `There is no file ${id}, or you cannot see it.`);
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
    const attachment: Attachment = {
      id: this.#newId('att'),
      name,
      mediaType,
      size: content.length,
      sha256,
      workspaceId: principal.workspace.id,
      uploadedBy: uploader.id,
      createdAt: this.#clock.now(),
      account: accountOf(uploader),
    };
    const room = this.#roomChecked.then(() => this.#requireRoom(attachment));
    this.#roomChecked = room.catch(() => undefined);
    await room;
    try {
      await this.#store.addAttachment(attachment, content);
    } finally {
      this.#arriving.delete(attachment);
    }
    return attachmentInfo(attachment);
  }

  /** Counts a file as arriving, if the workspace and the account have space for it. */
  async #requireRoom(attachment: Attachment): Promise<void> {
    const { workspaceId, account, size } = attachment;
    const { maxWorkspaceBytes } = this.#limits;
    if ((await this.#use(workspaceId)).bytes + size > maxWorkspaceBytes) {
      throw new RelayError(
        'AttachmentTooLarge',
        `The files of a workspace can have ${maxWorkspaceBytes} bytes in total.`,
        { details: { limit: maxWorkspaceBytes, setting: 'attachments.maxWorkspaceBytes' } },
      );
    }
    const own = await this.#use(workspaceId, account);
    this.#quotas.checkAttachments({ files: own.files + 1, bytes: own.bytes + size });
    this.#arriving.add(attachment);
  }

  async #use(workspaceId: number, account?: string): Promise<{ files: number; bytes: number }> {
    const arriving = [...this.#arriving].filter(
      (file) => file.workspaceId === workspaceId && (account === undefined || file.account === account),
    );
    // Some arriving files may already be in the store: count them once.
    const ids = arriving.map(({ id }) => id);
    const { files, bytes } = await this.#store.attachmentUse(workspaceId, account, ids);
    return {
      files: files + arriving.length,
      bytes: arriving.reduce((sum, { size }) => sum + size, bytes),
    };
  }
}
