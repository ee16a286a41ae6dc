import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS_ONCE, defineTool } from '../../framework/tool.ts';

export const setWorkspaceKey = defineTool({
  name: 'set_workspace_key',
  description: 'Switch to the workspace of a key, leaving the current one.',
  input: z.strictObject({ workspace_key: z.string() }),
  annotations: ACTS_ONCE,
  tellsName: true,
  handler: async (participant, { workspace_key }, call) => {
    const relay = await call.membership.join(participant, workspace_key);
    return replyJson({ workspace: relay.project, agent: relay.name });
  },
});
