import type { Toolset } from '../../framework/toolset.ts';
import { submitResult } from '../worker/submit-result.ts';
import {
  archiveChannel,
  createChannel,
  inviteToChannel,
  joinChannel,
  leaveChannel,
  listChannels,
  setChannelTopic,
} from './channels.ts';
import { createWorkspace } from './create-workspace.ts';
import { getMessageThread, listDms, listMessages, searchMessages } from './history.ts';
import { checkInbox, getMessageReaders, markMessageRead } from './inbox.ts';
import { listAgents } from './list-agents.ts';
import { postMessage, replyToThread, sendGroupDm } from './posting.ts';
import { addReaction, removeReaction } from './reactions.ts';
import { registerAgent } from './register-agent.ts';
import { sendDm } from './send-dm.ts';
import { setWorkspaceKey } from './set-workspace-key.ts';
import { workspaceWording } from './wording.ts';
import { addAgent, queryNodes, removeAgent, spawn } from './workers.ts';

export const workspaceToolset: Toolset = {
  name: 'workspace',
  tools: [
    registerAgent,
    listAgents,
    addAgent,
    removeAgent,
    createWorkspace,
    setWorkspaceKey,
    spawn,
    submitResult,
    queryNodes,
    createChannel,
    joinChannel,
    leaveChannel,
    listChannels,
    inviteToChannel,
    setChannelTopic,
    archiveChannel,
    postMessage,
    sendDm,
    sendGroupDm,
    replyToThread,
    getMessageThread,
    listMessages,
    listDms,
    searchMessages,
    addReaction,
    removeReaction,
    checkInbox,
    markMessageRead,
    getMessageReaders,
  ],
  wording: workspaceWording,
};
