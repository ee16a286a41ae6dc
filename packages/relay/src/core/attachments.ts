import { createHash } from 'node:crypto';
import {
  ATTACHMENT_CHUNK_BYTES,
  type NewId,
  type OperationParams,
  type OperationResult,
  RelayError,
} from '@agent-relay/protocol';
import { attachmentInfo } from './describe.ts';
import type { Clock } from './ports/clock.ts';
import type { Store } from './ports/store.ts';
import { type Principal, requireAgent, seesWholeWorkspace } from './principal.ts';

export interface AttachmentLimits {
  maxFileBytes: number;
  /** All files of one workspace together. */
  maxWorkspaceBytes: number;
}

interface Upload {
  pieces: Buffer[];
  received: number;
  forget: () => void;
}

/** An upload that does not go on for so long is given up. */
const UPLOAD_IDLE_MS = 60_000;
/** Uploads one agent may have open. */
const MAX_UPLOADS = 4;

/** Files that hang on messages: uploaded in pieces, stored once, fetched in pieces by whoever sees such a message. */
export class Attachments {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #newId: NewId;
  readonly #limits: AttachmentLimits;
  readonly #uploads = new Map<string, Upload>();

  constructor(store: Store, clock: Clock, newId: NewId, limits: AttachmentLimits) {
    this.#store = store;
    this.#clock = clock;
    this.#newId = newId;
    this.#limits = limits;
  }

  async attach(principal: Principal, params: OperationParams<'ATTACH'>): Promise<OperationResult<'ATTACH'>> {
    const agent = requireAgent(principal);
    const key = `${agent.id} ${params.upload}`;
    const next = this.#uploads.get(key)?.received ?? 0;
    if (params.offset !== next) {
      throw new RelayError('InvalidRequest', `offset: ${next} is next, ${params.offset} came.`, {
        details: { field: 'offset' },
      });
    }
    const upload = this.#uploads.get(key) ?? this.#begin(agent.id, key);
    const piece = Buffer.from(params.data, 'base64');
    if (upload.received + piece.length > this.#limits.maxFileBytes) {
      this.#end(key);
      throw new RelayError(
        'AttachmentTooLarge',
        `The file is larger than ${this.#limits.maxFileBytes} bytes.`,
      );
    }
    upload.pieces.push(piece);
    upload.received += piece.length;
    if (!params.finish) {
      this.#watch(key, upload);
      return { received: upload.received };
    }
    this.#end(key);
    const { name, mediaType, sha256 } = params.finish;
    const content = Buffer.concat(upload.pieces);
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
      uploadedBy: agent.id,
      createdAt: this.#clock.now(),
    };
    await this.#store.addAttachment(attachment, content);
    return { received: content.length, attachment: attachmentInfo(attachment) };
  }

  async fetch(
    principal: Principal,
    { attachment: id, offset }: OperationParams<'FETCH'>,
  ): Promise<OperationResult<'FETCH'>> {
    const viewer = seesWholeWorkspace(principal) ? undefined : requireAgent(principal).id;
    const attachment = await this.#store.visibleAttachment(viewer, principal.workspace.id, id);
    if (!attachment) throw new RelayError('AttachmentNotFound', `No file ${id} can be seen by you.`);
    const content = await this.#store.readContent(attachment.sha256, offset, ATTACHMENT_CHUNK_BYTES);
    return {
      attachment: attachmentInfo(attachment),
      offset,
      data: Buffer.from(content).toString('base64'),
      done: offset + content.length >= attachment.size,
    };
  }

  async #requireRoom(principal: Principal, size: number): Promise<void> {
    const { maxWorkspaceBytes } = this.#limits;
    if ((await this.#store.attachmentBytes(principal.workspace.id)) + size <= maxWorkspaceBytes) return;
    throw new RelayError(
      'AttachmentTooLarge',
      `All files of the workspace together may have ${maxWorkspaceBytes} bytes.`,
    );
  }

  #begin(agentId: number, key: string): Upload {
    const open = [...this.#uploads.keys()].filter((other) => other.startsWith(`${agentId} `)).length;
    if (open >= MAX_UPLOADS) throw new RelayError('Overloaded', `${MAX_UPLOADS} uploads are open already.`);
    const upload: Upload = { pieces: [], received: 0, forget: () => undefined };
    this.#uploads.set(key, upload);
    return upload;
  }

  #watch(key: string, upload: Upload): void {
    upload.forget();
    upload.forget = this.#clock.after(UPLOAD_IDLE_MS, () => this.#uploads.delete(key));
  }

  #end(key: string): void {
    this.#uploads.get(key)?.forget();
    this.#uploads.delete(key);
  }
}
