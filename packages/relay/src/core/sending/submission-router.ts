import type { Attachments } from '../files/attachments.ts';
import { awaitNeedsOneAgent } from './checks.ts';
import type { Routes } from './routes.ts';
import type { RoutedSubmission, Submission } from './submission.ts';

/** The first step of sending: finds the route of a message and its files, and refuses what cannot go there. */
export class SubmissionRouter {
  readonly #routes: Routes;
  readonly #attachments: Attachments;

  constructor(routes: Routes, attachments: Attachments) {
    this.#routes = routes;
    this.#attachments = attachments;
  }

  /** Returns synchronously if nothing needs to be read from the store. */
  route(submission: Submission): RoutedSubmission | Promise<RoutedSubmission> {
    const { principal, params } = submission;
    const route = this.#routes.find(submission);
    if (!(route instanceof Promise) && params.attachments === undefined)
      return checked({ ...submission, route, attachments: [] });
    return Promise.all([route, this.#attachments.visible(principal, params.attachments ?? [])]).then(
      ([found, attachments]) => checked({ ...submission, route: found, attachments }),
    );
  }

  /** A message to every project (`*:*`) is one message per project, each with its own id. */
  async routeEverywhere(submission: Submission): Promise<RoutedSubmission[]> {
    const { principal, params, clientId } = submission;
    const routes = this.#routes.everywhere(submission);
    const attachments = await this.#attachments.visible(principal, params.attachments ?? []);
    return routes.map((route) =>
      checked({ ...submission, clientId: clientIdIn(route.workspace, clientId), route, attachments }),
    );
  }
}

/** The id that a message to every project has in one of them. */
export const clientIdIn = ({ id }: { id: number }, clientId: string): string => `${clientId}@${id}`;

function checked(submission: RoutedSubmission): RoutedSubmission {
  if (submission.params.await && !submission.route.recipient) throw awaitNeedsOneAgent();
  return submission;
}
