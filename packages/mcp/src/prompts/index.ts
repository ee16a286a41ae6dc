import type { Prompt } from '../framework/prompt.ts';
import { relayProtocol } from './relay-protocol.ts';
import { coordinateTask, handoffWork, statusReport } from './teamwork.ts';

export const PROMPTS: readonly Prompt[] = [relayProtocol, coordinateTask, handoffWork, statusReport];
