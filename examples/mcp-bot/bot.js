import { openai } from '@ai-sdk/openai';
import { cartesia, deepgram, defineBot, endCall } from 'voicebot';
import { mcpTools } from './mcp-tools.js';

/** Before the first call: a caller does not wait for it. One connection for all calls of this process. */
const orders = await mcpTools(process.env.MCP_SERVER ?? 'orders-server.js');

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),

  async onCall(call) {
    const talk = call.converse({
      system:
        'You answer the telephone of Bluebird Bakery. One or two short sentences at a time. Look orders up; invent none.',
      greeting: 'Hello, this is Bluebird Bakery. Which order is it about?',
      tools: { ...orders, end_call: endCall({ say: 'Thank you for calling. Goodbye!' }) },
    });
    await talk.ended;
  },
});
