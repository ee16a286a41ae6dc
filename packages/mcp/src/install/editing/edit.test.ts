import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { CLIENTS, type Client } from '../clients.ts';
import { withEntry, withoutEntry } from './edit.ts';

const client = (id: string): Client => {
  const found = CLIENTS.find((candidate) => candidate.id === id);
  if (!found) throw new Error(id);
  return found;
};
const claude = client('claude');
const codex = client('codex');
const entry = {
  command: '/opt/node',
  args: ['/opt/relay.js', 'serve'],
  env: { RELAY_PROJECT_ROOT: '/shop' },
};
const install = (which: Client, text: string) => withEntry(which, 'the file', text, entry).text;
const uninstall = (which: Client, text: string) => withoutEntry(which, 'the file', text).text;

const JSON_FILES: Record<string, string> = {
  'two spaces': '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  },\n  "theme": "dark"\n}\n',
  tabs: '{\n\t"mcpServers": {\n\t\t"other": {"command":"x"}\n\t}\n}',
  'comments and trailing commas':
    '// mine\n{\n  "mcpServers": {\n    // the first\n    "other": { "command": "x" }, // keep\n    /* end */\n  }, // servers\n}\n',
  'a comment and no comma': '{\n  "mcpServers": {\n    "other": { "command": "x" } // keep, this\n  }\n}\n',
  'no servers yet': '{\n  "theme": "dark" // night\n}\n',
  'Windows line ends': '{\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "mcpServers": {\n    "other": {}\n  }\n}\n',
  'one line': '{"mcpServers":{"other":{"command":"x"}},"theme":"dark"}',
  'one line and a comma': '{"mcpServers":{"other":{"command":"x"},},}',
};

const TOML_FILES: Record<string, string> = {
  sections:
    '# mine\nmodel = "x" # keep\n\n# about it\n[mcp_servers.other]\ncommand = "y"   # odd   spacing\nargs=["1",  "2"]\n\n[projects."/shop"]\ntrust_level = "trusted"\n\n# the end\n',
  'no line end': 'model = "x"',
  'Windows line ends': 'model = "x"\r\n[features]\r\nplugins = false # off\r\n',
  'dotted keys': 'mcp_servers.other.command = "y"\n',
  'a table of servers': '[mcp_servers]\n# none yet\n\n[profiles.a]\nmodel="z"\n',
  'values of every kind':
    'when = 2026-01-15T10:00:00Z\nbig = 9007199254740993\nratio = 1.0\ntext = """\n[mcp_servers.fake]\n"""\n[[list]]\nx = inf\n',
};

describe.each([
  { which: claude, files: JSON_FILES },
  { which: codex, files: TOML_FILES },
])('the file of $which.title', ({ which, files }) => {
  test.each(Object.entries(files))(
    'with %s keeps every line when the entry is added and removed',
    (_, text) => {
      const installed = install(which, text);
      const parsed = which.format.parse(installed);
      expect(parsed).toMatchObject({ value: { [which.servers]: { 'agent-relay': entry } } });
      expect(install(which, installed)).toBe(installed);
      // A file without a last line end gets one when a section follows it.
      expect(uninstall(which, installed)).toBe(which === codex && !text.endsWith('\n') ? `${text}\n` : text);
    },
  );

  test('without the entry is not changed by an uninstall', () => {
    for (const text of Object.values(files)) expect(uninstall(which, text)).toBe(text);
  });
});

test('JSON of any content and indentation is restored byte for byte', () => {
  const servers = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), {
    minKeys: 1,
    noNullPrototype: true,
  });
  const anyFile = fc.record({
    before: fc.jsonValue({ maxDepth: 2 }),
    mcpServers: servers,
    after: fc.jsonValue(),
  });
  fc.assert(
    fc.property(anyFile, fc.constantFrom(0, 1, 2, 4, '\t'), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(uninstall(claude, install(claude, text))).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('TOML of any content is restored byte for byte', () => {
  const key = fc.oneof(fc.constantFrom('mcp_servers', 'agent-relay', 'env'), fc.string({ minLength: 1 }));
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string()),
    fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
  );
  const table = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { noNullPrototype: true })), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), table, { noNullPrototype: true }), (value) => {
      const text = stringify(value);
      expect(uninstall(codex, install(codex, text))).toBe(text);
    }),
    { numRuns: 300 },
  );
});

describe('an existing entry', () => {
  test('keeps what the user added to it, in JSON', () => {
    const text = `{
  "mcpServers": {
    "agent-relay": {
      // moved soon
      "command": "/old", // old
      "args": [],
      "env": { "DEBUG": "1" },
      "disabled": true
    }
  }
}
`;
    expect(install(claude, text)).toBe(`{
  "mcpServers": {
    "agent-relay": {
      // moved soon
      "command": "/opt/node", // old
      "args": [
        "/opt/relay.js",
        "serve"
      ],
      "env": { "DEBUG": "1", "RELAY_PROJECT_ROOT": "/shop" },
      "disabled": true
    }
  }
}
`);
  });

  test('keeps what the user added to it, in TOML', () => {
    const text = `# ours
[mcp_servers.agent-relay] # mine
command = "/old # not a comment" # old
args = [
  "old", # gone
]
enabled = false # off
[mcp_servers.agent-relay.env]
DEBUG = "1" # noisy

# next
[tui]
x = 1
`;
    const updated = `# ours
[mcp_servers.agent-relay] # mine
command = "/opt/node" # old
args = ["/opt/relay.js", "serve"]
enabled = false # off
[mcp_servers.agent-relay.env]
DEBUG = "1" # noisy
RELAY_PROJECT_ROOT = "/shop"

# next
[tui]
x = 1
`;
    expect(install(codex, text)).toBe(updated);
    expect(uninstall(codex, updated)).toBe('# ours\n\n# next\n[tui]\nx = 1\n');
  });

  test('keeps its inline variables, in TOML', () => {
    const text = '[mcp_servers.agent-relay]\ncommand = "/old"\nenv = { DEBUG = "1" } # noisy';
    expect(install(codex, text)).toBe(
      `[mcp_servers.agent-relay]
command = "/opt/node"
env = { DEBUG = "1", RELAY_PROJECT_ROOT = "/shop" } # noisy
args = ["/opt/relay.js", "serve"]
`,
    );
  });
});

describe('a file that cannot be edited safely is refused', () => {
  test.each([
    [claude, '{\n  "mcpServers": {\n    "x" 1\n', 'the file:3:9 cannot be parsed: colon expected.'],
    [claude, '[]', 'the file:1:1 cannot be parsed: it is not an object.'],
    [claude, '{"mcpServers": []}', 'the file has a "mcpServers" that is not a table of servers.'],
    [claude, '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}', /cannot be edited safely/],
    [codex, 'a = 1\nb = \n', 'the file:2:5 cannot be parsed: invalid value.'],
    [codex, 'a = 1\na = 2\n', /^the file:2:1 cannot be parsed/],
    [codex, 'mcp_servers = { other = { command = "x" } }\n', /cannot be edited safely/],
    [codex, '[mcp_servers]\nagent-relay = { command = "x" }\n', /cannot be edited safely/],
  ])('%#', (which, text, message) => {
    const refusal = expect.objectContaining({
      code: 'InvalidClientConfig',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    expect(() => install(which, text)).toThrow(refusal);
  });
});
