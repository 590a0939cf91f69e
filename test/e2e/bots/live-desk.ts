import { createOpenAI } from '@ai-sdk/openai';
import { cartesia, defineBot, endCall, transferTo } from 'voicebot';
import { z } from 'zod';

const { LIVE_OPENAI_URL = '', DELEGATE_URL, DESK_VOICE, DESK_MESSAGE } = process.env;
const openai = createOpenAI({ apiKey: 'key', baseURL: LIVE_OPENAI_URL });
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export default defineBot({
  live: DELEGATE_URL
    ? {
        model: openai.experimental_realtime('gpt-live-1'),
        delegate: createOpenAI({ apiKey: 'key', baseURL: DELEGATE_URL }).chat('gpt-4.1-mini'),
      }
    : openai.experimental_realtime('gpt-realtime-2.1'),
  ...(DESK_VOICE && { tts: cartesia({ cache: false }) }),
  async onCall(call) {
    await call.converse({
      system: 'You are at the desk of a bakery.',
      greeting: 'Hello, this is Bluebird Bakery. How can I help you?',
      ...(DESK_MESSAGE && { voicemail: DESK_MESSAGE }),
      tools: {
        transfer: transferTo(undefined, { announce: 'One moment please, I will connect you.' }),
        look_up: {
          description: 'Looks up an order. Takes a while.',
          input: z.object({}),
          run: () => wait(6_000).then(() => ({ state: 'baked' })),
        },
        end_call: endCall(),
      },
    }).ended;
  },
});
