import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';

export const createWorkspace = defineTool({
  name: 'create_workspace',
  description: 'Create a workspace on this daemon. Returns its key, which is shown once.',
  input: z.strictObject({ name: z.string() }),
  annotations: ACTS,
  handler: async (_participant, { name }, call) => {
    const created = await call.membership.createWorkspace(name);
    const note = 'Save the key; it is shown once. Join with set_workspace_key.';
    return replyJson({ name: created.name, workspace_key: created.key, key_id: created.keyId, note });
  },
});
