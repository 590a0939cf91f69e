#!/usr/bin/env node
// Behaves as `cloudflared tunnel --url` does, on this machine only: a forwarding proxy at an address of its own.
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    config: { type: 'string' },
    'no-autoupdate': { type: 'boolean' },
    'grace-period': { type: 'string' },
    url: { type: 'string' },
  },
});
const say = (level, text) => process.stderr.write(`2026-01-02T03:04:05Z ${level} ${text}\n`);
const plan = JSON.parse(readFileSync(new URL('plan.json', import.meta.url), 'utf8'));
process.on('SIGTERM', () => (plan.isStubborn ? say('INF', 'not yet') : process.exit(0)));
if (readFileSync(values.config, 'utf8') !== '' || Object.keys(process.env).some((name) => /TOKEN|KEY/.test(name))) {
  say('ERR', 'it was told more than it needs');
  process.exit(1);
}
say('INF', 'Thank you for trying Cloudflare Tunnel (https://www.cloudflare.com/website-terms/)');
if (plan.failure) {
  say('ERR', plan.failure);
  process.exit(1);
}
const target = new URL(values.url);
const server = createServer((socket) => {
  const local = connect(Number(target.port), target.hostname);
  socket.on('error', () => local.destroy());
  local.on('error', () => socket.destroy());
  socket.pipe(local).pipe(socket);
});
server.listen(0, '127.0.0.1', () => {
  const address = plan.address ?? `http://brave-owl.localhost:${server.address().port}`;
  const words = 'Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):';
  say('INF', `+${'-'.repeat(words.length + 4)}+`);
  say('INF', `|  ${words}  |`);
  say('INF', `|  ${address.padEnd(words.length)}  |`);
  say('INF', `+${'-'.repeat(words.length + 4)}+`);
  say('INF', 'Registered tunnel connection connIndex=0');
});
process.on('SIGUSR2', () => {
  say('ERR', 'the edge went away');
  process.exit(1);
});
