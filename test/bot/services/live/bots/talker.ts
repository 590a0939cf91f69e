import { createOpenAI } from '@ai-sdk/openai';
import { defineBot, endCall } from 'voicebot';
import { z } from 'zod';

const openai = createOpenAI({ apiKey: 'k', baseURL: process.env.LIVE_URL ?? '' });

export default defineBot({
  live: openai.experimental_realtime('gpt-realtime-2.1'),
  onCall(call) {
    call.converse({
      system: 'You are a bakery.',
      greeting: 'Hello, this is the bakery.',
      tools: {
        opening_hours: {
          description: 'When the bakery is open.',
          input: z.object({ day: z.string() }),
          run: ({ day }) => ({ [day]: 'seven to noon' }),
        },
        end_call: endCall(),
      },
    });
  },
});
