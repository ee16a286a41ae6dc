import { parseArgs } from 'node:util';
import { toolsetNames } from '../framework/toolset.ts';
import { serveStdio } from '../stdio/serve.ts';
import { tellPerson } from '../stdio/tell-person.ts';
import { reportFailure } from './failure.ts';

/** The command that clients start, alone in its bundle so that it starts fast. */
export async function main(args: string[]): Promise<void> {
  try {
    const { tools } = parseArgs({ args, options: { tools: { type: 'string' } } }).values;
    tellPerson();
    await serveStdio(tools === undefined ? {} : { tools: toolsetNames(tools) });
  } catch (error) {
    reportFailure(error);
  }
}
