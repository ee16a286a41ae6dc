import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { bareServer } from './bare-server.ts';

serveStdio(bareServer);
