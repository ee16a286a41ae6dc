import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../kit/daemon.ts';
import { connectToCommand, toolNames } from '../doors/kit.ts';

describe('an option without effect is refused', () => {
  it.each([
    ['up --tools relay', '--tools has no effect without --mcp', '?tools='],
    ['up --mcp-http 0 --tools relay', '--tools has no effect without --mcp', '?tools='],
    ['up --mcp-api-key long-enough', '--mcp-api-key has no effect without --mcp-http', 'Add --mcp-http'],
    ['daemon start --mcp-api-key long-enough', '--mcp-api-key has no effect', 'Add --mcp-http'],
    ['daemon restart --mcp-api-key long-enough', '--mcp-api-key has no effect', 'Add --mcp-http'],
    ['gateway --host 127.0.0.1', '--host has no effect without --http', 'Add --http'],
    ['gateway --allow-host relay.example', '--allow-host has no effect without --http', 'Add --http'],
    ['gateway --tls-key key.pem', '--tls-key has no effect without --http', 'Add --http'],
    ['launch --command claude', '--command has no effect without --tmux or --kitty', 'Add --tmux'],
    [
      'gateway --config own.yaml approve',
      '--config has no effect before "approve"',
      'agent-relay gateway approve --config <file>',
    ],
    ['gateway --search approve', '--search has no effect before "approve"', 'gateway approve --help'],
    [
      'mcp --tools relay install',
      '--tools has no effect before "install"',
      'agent-relay mcp install --tools <list>',
    ],
  ])('agent-relay %s', async (line, message, next) => {
    await using sandbox = await createSandbox();
    const { code, stdout, stderr } = await sandbox.cli(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr.slice(stderr.indexOf('next: '))).toContain(next);
  });

  it('unless it is set by a variable, which other commands may use', async () => {
    await using sandbox = await createSandbox({
      env: { RELAY_MCP_TLS_KEY: 'key.pem', RELAY_TOOLS: 'relay' },
    });
    await using gateway = await connectToCommand(sandbox, ['gateway']);
    expect(await toolNames(gateway.client)).toContain('relay_get_status');
  });
});

describe('options for a running daemon', () => {
  it('are refused if it was started without them, with the command that applies them', async () => {
    await using sandbox = await createSandbox();
    await sandbox.cli(['daemon', 'start', '--mcp-http', '0']);
    for (const command of [['daemon', 'start'], ['up']]) {
      expect(await sandbox.cli([...command, '--mcp-http', '0'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('already running'),
      });
      const refused = await sandbox.cli([...command, '--mcp-http', '0', '--database', 'other.db']);
      const words = `--database ${sandbox.projectDirectory}/other.db`;
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(`started without ${words}.`);
      expect(refused.stderr).toContain(`next: Restart it with: agent-relay daemon restart ${words}`);
    }
  });

  it('are refused if it has another key for MCP over HTTP, or none, wherever the key is set', async () => {
    await using sandbox = await createSandbox();
    await sandbox.cli(['daemon', 'start', '--mcp-http', '0']);
    const ways: Array<[args: string[], env: NodeJS.ProcessEnv]> = [
      [['--mcp-http', '0', '--mcp-api-key', 'canary-key'], {}],
      [[], { RELAY_MCP_API_KEY: 'canary-key' }],
    ];
    const tries = async (complaint: string) => {
      for (const [args, env] of ways) {
        for (const command of [['daemon', 'start'], ['up']]) {
          const refused = await sandbox.cli([...command, ...args], { env });
          expect(refused).toMatchObject({ code: 2, stdout: '' });
          expect(refused.stderr).toContain(`and was started ${complaint} MCP API key.`);
          expect(refused.stderr).toContain('next: Set the key in RELAY_MCP_API_KEY and restart it');
          expect(refused.stderr).not.toContain('canary');
        }
      }
    };
    await tries('without an');
    const other = { env: { RELAY_MCP_API_KEY: 'another-key' } };
    expect(await sandbox.cli(['daemon', 'restart'], other)).toMatchObject({ code: 0 });
    await tries('with a different');
    expect(await sandbox.cli(['daemon', 'start'], other)).toMatchObject({ code: 0 });
    expect(await sandbox.cli(['daemon', 'start'])).toMatchObject({ code: 0 });
  });

  it('are reported to an MCP client, which is served anyway', async () => {
    await using sandbox = await createSandbox();
    await sandbox.cli(['daemon', 'start']);
    const { client, saidAside } = await connectToCommand(sandbox, ['up', '--mcp', '--mcp-http', '0']);
    expect(await toolNames(client)).toContain('relay_send_message');
    await client.close();
    expect(await saidAside).toContain('started without --mcp-http 0.');
  });
});
