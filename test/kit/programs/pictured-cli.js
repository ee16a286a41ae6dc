#!/usr/bin/env node
// What an agent at work looks like in its terminal, for pictures: a conversation, and a dialog that nobody answers.
const [dim, bold, green, red, cyan, plain] = [2, 1, 32, 31, 36, 0].map((code) => `\x1b[${code}m`);
const LINES = [
  `${bold}Order history${plain}  ${dim}branch order-history · 3 files changed${plain}`,
  '',
  `${cyan}❯${plain} Build the order history page. Show 20 orders a page, newest first.`,
  '',
  `${green}●${plain} Read ${bold}src/orders/list.tsx${plain} ${dim}(182 lines)${plain}`,
  `${green}●${plain} Read ${bold}src/orders/api.ts${plain} ${dim}(64 lines)${plain}`,
  `${green}●${plain} Edit ${bold}src/orders/list.tsx${plain}`,
  `    ${red}-  const orders = await listOrders();${plain}`,
  `    ${green}+  const { orders, next } = await listOrders({ limit: 20, cursor });${plain}`,
  `    ${green}+  const more = next !== undefined;${plain}`,
  `${green}●${plain} Run ${bold}npm test -- orders${plain}`,
  `    ${green}✓${plain} lists the newest orders first`,
  `    ${green}✓${plain} loads the next page`,
  `    ${dim}2 passed, 1.4 s${plain}`,
  '',
  `${bold}Run a command${plain}`,
  '',
  '    npm publish --dry-run',
  '',
  `${cyan}❯ Yes${plain}`,
  '  No',
  '',
  `${dim}Allow it? [y/n]${plain} `,
];

process.stdin.setRawMode(true).resume();
process.stdout.write(`\x1b[2J\x1b[H${LINES.join('\r\n')}`);
