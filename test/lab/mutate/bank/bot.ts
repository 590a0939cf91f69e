/** A bank that tells a balance and says goodbye; the model is asked nothing, for scenarios answer in its place. */
import { openai } from '@ai-sdk/openai';
import { type Call, deepgram, defineBot, endCall, flite } from 'voicebot';
import { z } from 'zod';

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: flite(),

  async onCall(call: Call) {
    await call.converse({
      system: 'You are a bank.',
      greeting: 'This is the bank.',
      tools: {
        balance: {
          description: 'The balance of an account.',
          input: z.object({ account: z.string() }),
          run: () => ({ amount: 3 }),
        },
        block_card: { description: 'Blocks a card.', input: z.object({}), run: () => 'blocked' },
        end_call: endCall({ say: 'Goodbye!' }),
      },
    }).ended;
  },
});
