import { RelayError } from '@agent-relay/protocol';
import { accountIn, accountOf } from '../governance/accounts.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';

interface Upload {
  pieces: Buffer[];
  received: number;
  /** Its share of the memory for uploads. */
  cost: number;
  /** The account it counts for. */
  account: string;
  stopTimer: () => void;
}

/** An upload that is idle for this long is dropped. */
const IDLE_MS = 60_000;
/** Uploads one agent may have open. */
const MAX_PER_AGENT = 4;
/** All uploads together may take as much memory as this many files of the largest size. */
const MAX_FILES_IN_MEMORY = 8;
/** The share of one account, so that others always have room. */
const MAX_FILES_OF_ACCOUNT = MAX_FILES_IN_MEMORY / 2;
/** The overhead of a piece, so that many small ones are not free. */
const PIECE_COST = 512;

/** Uploads in progress: pieces stay in memory until the last one arrives and the file is stored. */
export class Uploads {
  readonly #clock: Clock;
  readonly #maxFileBytes: number;
  readonly #byAgent = new Map<number, Map<string, Upload>>();
  readonly #costs = new Map<string, number>();
  #cost = 0;

  constructor(clock: Clock, maxFileBytes: number) {
    this.#clock = clock;
    this.#maxFileBytes = maxFileBytes;
  }

  /** Adds the next piece; returns the total bytes so far. */
  add(agent: Agent, id: string, offset: number, piece: Buffer): number {
    const agentId = agent.id;
    const open = this.#byAgent.get(agentId)?.get(id);
    const received = open?.received ?? 0;
    if (offset !== received) {
      throw new RelayError('InvalidRequest', `offset: expected ${received}, got ${offset}.`, {
        details: { field: 'offset' },
      });
    }
    if (received + piece.length > this.#maxFileBytes) {
      this.end(agentId, id);
      throw new RelayError('AttachmentTooLarge', `The file is larger than ${this.#maxFileBytes} bytes.`);
    }
    const cost = piece.length + PIECE_COST;
    const account = accountIn(agent.workspaceId, accountOf(agent));
    if ((this.#costs.get(account) ?? 0) + cost > MAX_FILES_OF_ACCOUNT * this.#maxFileBytes) {
      throw new RelayError('Overloaded', 'You, or others with your key, are uploading too many files.', {
        next: 'Send this piece again when one of them is done.',
      });
    }
    if (this.#cost + cost > MAX_FILES_IN_MEMORY * this.#maxFileBytes) {
      throw new RelayError('Overloaded', 'Too many files are being uploaded by all agents together.', {
        next: 'Send this piece again in a minute.',
      });
    }
    const upload = open ?? this.#begin(agentId, id, account);
    upload.pieces.push(piece);
    upload.received += piece.length;
    upload.cost += cost;
    this.#charge(account, cost);
    upload.stopTimer();
    upload.stopTimer = this.#clock.after(IDLE_MS, () => this.end(agentId, id));
    return upload.received;
  }

  /** The whole file, to be stored; it counts until `end`. */
  content(agentId: number, id: string): Buffer {
    const upload = this.#byAgent.get(agentId)?.get(id);
    upload?.stopTimer();
    return Buffer.concat(upload?.pieces ?? []);
  }

  end(agentId: number, id: string): void {
    const uploads = this.#byAgent.get(agentId);
    const upload = uploads?.get(id);
    if (!upload) return;
    upload.stopTimer();
    this.#charge(upload.account, -upload.cost);
    uploads?.delete(id);
    if (uploads?.size === 0) this.#byAgent.delete(agentId);
  }

  /** The agent disconnected and will not finish its uploads. */
  endAll(agentId: number): void {
    for (const id of this.#byAgent.get(agentId)?.keys() ?? []) this.end(agentId, id);
  }

  #charge(account: string, cost: number): void {
    const own = (this.#costs.get(account) ?? 0) + cost;
    if (own === 0) this.#costs.delete(account);
    else this.#costs.set(account, own);
    this.#cost += cost;
  }

  #begin(agentId: number, id: string, account: string): Upload {
    const uploads = this.#byAgent.get(agentId) ?? new Map<string, Upload>();
    if (uploads.size >= MAX_PER_AGENT)
      throw new RelayError('Overloaded', `${MAX_PER_AGENT} uploads are already open.`);
    const upload: Upload = { pieces: [], received: 0, cost: 0, account, stopTimer: () => undefined };
    this.#byAgent.set(agentId, uploads.set(id, upload));
    return upload;
  }
}
