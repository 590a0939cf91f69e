import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { mcpTools } from './mcp-tools.js';

const server = spawn(process.execPath, ['orders-server.js', '--http', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
after(() => server.kill());

test('the tools of an MCP server over HTTP are functions of a conversation', async () => {
  const [address] = await once(server.stdout, 'data');
  const { order_status } = await mcpTools(String(address).trim());
  const { signal } = new AbortController();
  assert.equal(order_status.input.type, 'object');
  assert.equal(await order_status.run({ order: '4712' }, { signal }), 'still in the oven');
  await assert.rejects(order_status.run({ order: 4712 }, { signal }), /order/); // the server refuses its input
});
