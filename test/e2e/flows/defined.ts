import { openai } from '@ai-sdk/openai';
import { cartesia, deepgram, defineBot, endCall, transferTo } from 'voicebot';
import { z } from 'zod';

/** The five flows of the specification: called and calling, over a carrier and in rooms, and a cold transfer. */
export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),
  body: z.object({ user: z.object({ firstName: z.string() }).default({ firstName: 'there' }) }),

  async onCall(call) {
    const { ended } = call.converse({
      system: 'You are the reception of Bluebird Bakery. One or two short sentences at a time.',
      greeting: `Hello ${call.body.user.firstName}, this is Bluebird Bakery. How can I help you?`,
      voicemail: 'This is Bluebird Bakery. Please call us back. Goodbye!',
      tools: {
        transfer_call: transferTo(process.env.OPERATOR_NUMBER, { announce: 'One moment please.' }),
        end_call: endCall({ say: 'Thank you. Goodbye!' }),
      },
    });
    call.on('transfer', ({ to, status }) => console.log(`transfer to ${to}: ${status}`));
    console.log(`${call.direction} call ended: ${await ended}`);
  },
});
