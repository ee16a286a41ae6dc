import { quotedName, RelayError, safeLine, wholeText } from '@agent-relay/protocol';
import { asksPerson, isConversation } from '../../output/decision.ts';

/** A changed definition of a tool, all of which a person reads before it is approved. */
export interface ToReview {
  server: string;
  tool: string;
  digest: string;
  definition: unknown;
  approve(): Promise<void>;
}

export const DIGEST_FLAGS = '--digest <digest>';
export const DIGEST_HELP = 'without asking, only the definition with this digest';

/**
 * Shows each definition and asks; approves those that the person allowed. With a digest, which the person got with the definition,
 * nothing is asked. Resolves with what was approved.
 */
export async function reviewTools(
  tools: readonly ToReview[],
  { digest, show, json = false }: { digest: string | undefined; show: string; json?: boolean | undefined },
): Promise<ToReview[]> {
  const wanted = digest === undefined ? tools : tools.filter((one) => one.digest === digest);
  if (digest !== undefined && wanted.length === 0)
    throw new RelayError('IdConflict', 'No definition that waits for approval has this digest.', {
      next: `Read what waits: ${show}`,
    });
  if (digest === undefined && tools.length > 0 && (json || !isConversation()))
    throw new RelayError('InvalidRequest', 'Outside of a terminal, a definition is approved by its digest.', {
      next: `Read it: ${show}, then add --digest DIGEST.`,
    });
  const approved: ToReview[] = [];
  for (const one of wanted) {
    const name = quotedName(`${one.server}.${one.tool}`);
    const text = wholeText(`The new definition of ${name}`, JSON.stringify(one.definition, null, 2));
    if (digest === undefined && !(await asksPerson(text, `Approve ${name}?`))) continue;
    await one.approve();
    approved.push(one);
  }
  return approved;
}

/** `names`: what was approved; undefined if nothing had to be. */
export function approvedText(names: readonly string[] | undefined): string {
  if (names === undefined) return 'Nothing to approve.';
  return names.length === 0 ? 'Nothing was approved.' : `Approved: ${names.map(safeLine).join(', ')}`;
}
