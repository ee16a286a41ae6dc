import { type AttachmentInfo, type OperationParams, RelayError } from '@agent-relay/protocol';
import type { Agent } from '../ports/store/agents.ts';
import type { Store } from '../ports/store.ts';
import type { Principal } from '../principal.ts';
import { attachmentInfo } from '../reading/descriptions.ts';
import { awaitsOneAgent } from './checks.ts';
import type { Route, Routes } from './routes.ts';

export type SendParams = OperationParams<'SEND'>;
/** A message ready to be stored, but for the id of its conversation. */
export type Plan = { route: Route; attachments: AttachmentInfo[]; unverified: boolean };

/** Finds out where a message goes, and with which files; refuses what cannot go there. */
export class Plans {
  readonly #store: Store;
  readonly #routes: Routes;

  constructor(store: Store, routes: Routes) {
    this.#store = store;
    this.#routes = routes;
  }

  /** At once if nothing needs to be looked up in the store. */
  toOne(principal: Principal, sender: Agent, params: SendParams): Plan | Promise<Plan> {
    const { unverified } = principal;
    const route = this.#routes.route(principal, sender, params);
    if (!(route instanceof Promise) && params.attachments === undefined) {
      return checked(params, { route, attachments: [], unverified });
    }
    return Promise.all([route, this.#attachments(principal, params)]).then(([found, attachments]) =>
      checked(params, { route: found, attachments, unverified }),
    );
  }

  /** One for each project. */
  async everywhere(principal: Principal, sender: Agent, params: SendParams): Promise<Plan[]> {
    const { unverified } = principal;
    const routes = this.#routes.everywhere(principal, sender);
    const attachments = await this.#attachments(principal, params);
    return routes.map((route) => checked(params, { route, attachments, unverified }));
  }

  async #attachments(principal: Principal, params: SendParams): Promise<AttachmentInfo[]> {
    const found: AttachmentInfo[] = [];
    for (const id of params.attachments ?? []) {
      const attachment = await this.#store.visibleAttachment(principal.agent?.id, principal.workspace.id, id);
      if (!attachment) throw new RelayError('AttachmentNotFound', `No file ${id} can be seen by you.`);
      found.push(attachmentInfo(attachment));
    }
    return found;
  }
}

function checked(params: SendParams, plan: Plan): Plan {
  if (!params.await || plan.route.recipient) return plan;
  throw awaitsOneAgent();
}
