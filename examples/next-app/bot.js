import { openai } from '@ai-sdk/openai';
import { cartesia, deepgram, defineBot, endCall } from 'voicebot';
import { z } from 'zod';

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),
  disclosure: { text: 'Hello, this is a machine that calls for Bluebird Bakery.', when: 'outbound' },

  async onCall(call) {
    const talk = call.converse({
      system:
        'You have called a customer of Bluebird Bakery, whose order is ready. One or two short sentences at a time.',
      greeting: 'Your order is ready. Is there anything that I can tell you?',
      tools: {
        opening_hours: {
          description: 'Tells when the bakery is open.',
          input: z.object({ day: z.string().describe('a weekday, in English') }),
          run: ({ day }) => (day.toLowerCase() === 'sunday' ? 'closed' : 'seven to six'),
        },
        end_call: endCall({ say: 'Goodbye!' }),
      },
    });
    await talk.ended;
  },
});
