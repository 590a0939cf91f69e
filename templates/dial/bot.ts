import { openai } from '@ai-sdk/openai';
import { cartesia, deepgram, defineBot, doNotCall, endCall, transferTo } from 'voicebot';
import { z } from 'zod';

const STYLE = `You are friendly and brief: one or two short sentences at a time, in plain words, for everything you write is
spoken. When the matter is settled, or they do not want to talk, say goodbye and end the call.`;

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),

  /** Said first, as the law of many countries asks for. Nothing stops it. */
  disclosure: { text: 'Hello, this is a machine that calls for Bluebird Bakery.', when: 'outbound' },

  /** Who presses 9, or says that they do not want to be called again, is not dialled any more. */
  doNotCall: { key: '9' },

  /** What the call is about: `npx voicebot dialout <number> --body '{"user":{"firstName":"Ada"},"reason":"to say hello"}'`. */
  body: z.object({
    user: z.object({ firstName: z.string() }).optional(),
    reason: z.string().default('to confirm the order that is ready to be picked up tomorrow'),
  }),

  async onCall(call) {
    const { user, reason } = call.body;
    const opening = `${user?.firstName ?? 'Good day'}, I am calling ${reason}.`;
    const talk = call.converse({
      system: `You are calling ${user?.firstName ?? 'a customer'} for Bluebird Bakery ${reason}. ${STYLE}`,
      greeting: `${opening} Do you have a moment?`,
      voicemail: `${opening} Please call us back. Goodbye!`,
      idle: { prompts: ['Are you still there?'], goodbye: 'I will try again another time. Goodbye!' },
      tools: {
        transfer_call: transferTo(process.env.OPERATOR_NUMBER, {
          announce: 'One moment please, I will connect you.',
          warm: { brief: { prompt: 'Say in one sentence who was called and what they want.' } },
        }),
        do_not_call: doNotCall(),
        end_call: endCall({ say: 'Thank you. Goodbye!' }),
      },
    });
    call.on('voicemail', ({ evidence }) => console.log(`a machine answered: ${evidence}`));
    console.log(`the call to ${call.to} is over: ${await talk.ended}`);
  },
});
