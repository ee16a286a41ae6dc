import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';

export const createWorkspace = defineTool({
  name: 'create_workspace',
  description: 'Create a workspace on this daemon. Returns its key, which is shown only now.',
  input: z.strictObject({ name: z.string() }),
  annotations: ACTS,
  handler: async (_participant, { name }, call) => {
    const created = await call.membership.createWorkspace(name);
    const note = 'Keep the key: it is not shown again. Join with set_workspace_key.';
    return replyJson({ name: created.name, workspace_key: created.key, key_id: created.keyId, note });
  },
});
