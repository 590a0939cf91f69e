import { openai } from '@ai-sdk/openai';
import { cartesia, deepgram, defineBot, endCall, transferTo } from 'voicebot';
import { z } from 'zod';

const SYSTEM = `You answer the telephone of Bluebird Bakery. You are friendly and brief: one or two short sentences at a time,
in plain words, for everything you write is spoken. Never invent opening hours or prices. Connect callers who want a person.`;

const HOURS: Record<string, string> = { saturday: 'eight to one', sunday: 'closed' };

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),

  async onCall(call) {
    const talk = call.converse({
      system: SYSTEM,
      greeting: 'Hello, this is Bluebird Bakery. How can I help you?',
      idle: { prompts: ['Are you still there?'], goodbye: 'I will hang up now. Goodbye!' },
      tools: {
        /** A function of your own: the model calls it and tells the caller the result. */
        opening_hours: {
          description: 'Tells when the bakery is open.',
          input: z.object({ day: z.string().describe('a weekday, in English') }),
          run: ({ day }) => HOURS[day.toLowerCase()] ?? 'seven to six',
        },
        transfer_call: transferTo(process.env.OPERATOR_NUMBER, { announce: 'One moment please, I will connect you.' }),
        end_call: endCall({ say: 'Thank you for calling. Goodbye!' }),
      },
    });
    call.on('dtmf', ({ digit }) => {
      if (digit === '0') void call.transfer(process.env.OPERATOR_NUMBER);
    });
    console.log(`the call from ${call.from ?? 'a withheld number'} is over: ${await talk.ended}`);
  },
});
