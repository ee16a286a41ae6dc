// The import rule of ARCHITECTURE.md. There is no list of exceptions: change the map first, then this file.
const only = (name, from, ...to) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: '\\.test\\.ts$' },
  to: { path: '^(packages|test)/', pathNot: [from, ...to] },
});

/** The commands that start a process, and what only they use. */
const STARTERS = [
  '^packages/relay/src/cli/commands/(daemon/(up|daemon)|mcp/(mcp|mcp-server|gateway|launch)|terminals/(run|resume|host|hook|attach))\\.ts$',
  '^packages/relay/src/cli/(daemon|launch|mcp|run)/',
];

/** What the core may use of the platform: it does no I/O. */
const PURE = '^packages/platform/src/(limits/|secrets\\.ts$)';

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    // OpenCode gives its plugins solid-js: its state can only be watched with the copy it uses itself.
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^solid-js$' },
    },
    only('protocol-imports-nothing-of-ours', '^packages/protocol/'),
    only('platform-imports-protocol', '^packages/platform/', '^packages/protocol/'),
    only('pure-platform-stands-alone', PURE),
    only('sdk-imports-platform', '^packages/sdk/', '^packages/(platform|protocol)/'),
    only('mcp-imports-sdk', '^packages/mcp/', '^packages/(sdk|platform|protocol)/'),
    only('harness-driver-imports-sdk', '^packages/harness-driver/', '^packages/(sdk|platform|protocol)/'),
    only('dashboard-imports-sdk', '^packages/dashboard/', '^packages/(sdk|protocol)/'),
    only('gateway-imports-platform', '^packages/gateway/', '^packages/(platform|protocol)/'),
    only('core-imports-protocol', '^packages/relay/src/core/', '^packages/protocol/', PURE),
    only(
      'store-imports-core',
      '^packages/relay/src/store/',
      '^packages/relay/src/core/',
      '^packages/(platform|protocol)/',
    ),
    only(
      'transport-imports-core',
      '^packages/relay/src/transport/',
      '^packages/relay/src/core/',
      '^packages/(platform|protocol)/',
    ),
    only('git-stands-alone', '^packages/relay/src/git/', '^packages/(platform|protocol)/'),
    {
      name: 'core-does-no-io',
      severity: 'error',
      from: {
        path: ['^packages/relay/src/core/', PURE],
        pathNot: '\\.test\\.ts$',
      },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto)$' },
    },
    {
      name: 'browser-safe',
      severity: 'error',
      from: { path: '^packages/(protocol|sdk|dashboard)/src/(?!node/)', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'browser-has-no-platform',
      severity: 'error',
      from: { path: '^packages/sdk/src/(?!node/)', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/platform/' },
    },
    {
      name: 'cli-speaks-through-the-sdk',
      comment:
        'Only the commands that start a process may reach that process; every other command is an SDK client.',
      severity: 'error',
      from: { path: '^packages/relay/src/cli/', pathNot: ['\\.test\\.ts$', ...STARTERS] },
      to: { path: '^packages/(relay/src/(core|store|transport|daemon)|mcp|gateway|harness-driver)/' },
    },
    {
      name: 'starters-reach-only-their-process',
      comment:
        'A command that starts a process imports the daemon, the MCP server or the gateway, not their insides.',
      severity: 'error',
      from: { path: STARTERS, pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/relay/src/(core|store|transport)/' },
    },
    {
      name: 'no-terminal-in-the-daemon',
      comment: 'Terminals and emulators live in a process for each agent, never in the daemon.',
      severity: 'error',
      from: { path: '^packages/relay/src/(core|store|transport|daemon)/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^packages/harness-driver/', 'node_modules/@(lydell|xterm)/'] },
    },
    {
      name: 'tests-stay-out-of-the-product',
      severity: 'error',
      from: { path: '^packages/', pathNot: '\\.test\\.ts$' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What is built from the sources is not written by hand.
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
