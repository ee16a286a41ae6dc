#!/usr/bin/env node
import('../src/cli.ts').then(({ main }) => main(process.argv.slice(2)));
