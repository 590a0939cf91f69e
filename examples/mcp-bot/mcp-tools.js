import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/**
 * Connects with an MCP server, and makes each of its tools one of a conversation.
 * @param where an https address, or the file of a server that is started as a process and speaks over stdio
 */
export async function mcpTools(where) {
  const client = new Client({ name: 'mcp-bot', version: '1.0.0' });
  const transport = /^https?:/.test(where)
    ? new StreamableHTTPClientTransport(new URL(where))
    : new StdioClientTransport({ command: process.execPath, args: [where] });
  await client.connect(transport);
  const { tools } = await client.listTools();
  return Object.fromEntries(
    tools.map(({ name, description = name, inputSchema }) => [
      name,
      {
        description,
        input: inputSchema,
        async run(input, { signal }) {
          const { content, isError } = await client.callTool({ name, arguments: input }, undefined, { signal });
          const text = content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
          if (isError) throw new Error(text); // the model is told
          return text;
        },
      },
    ]),
  );
}
