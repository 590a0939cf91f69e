// An MCP server with the orders of a shop: over stdio, or with `--http <port>` over HTTP for this machine.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const ORDERS = new Map([
  ['4711', 'ready'],
  ['4712', 'still in the oven'],
]);

function ordersServer() {
  const server = new McpServer({ name: 'orders', version: '1.0.0' });
  server.registerTool(
    'order_status',
    { description: 'Tells how far an order is.', inputSchema: { order: z.string().describe('four digits') } },
    ({ order }) => {
      const text = ORDERS.get(order) ?? `there is no order ${order}`;
      return { content: [{ type: 'text', text }] };
    },
  );
  return server;
}

const [option, port] = process.argv.slice(2);
if (option === '--http') {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.once('close', () => transport.close());
    await ordersServer().connect(transport);
    await transport.handleRequest(request, response, await json(request));
  });
  server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
  await ordersServer().connect(new StdioServerTransport());
}
