/** A bank with a menu, which tells a balance and says goodbye. */
import { type Call, deepgram, defineBot, endCall, flite } from 'voicebot';
import type { LanguageModel } from 'voicebot/services';
import { z } from 'zod';

export default defineBot({
  stt: deepgram(),
  llm: {
    specificationVersion: 'v3',
    provider: 'bank',
    modelId: 'teller',
    supportedUrls: {},
  } as unknown as LanguageModel,
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
