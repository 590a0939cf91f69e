/** A bank whose functions are played in scenarios. What its own code gives is told apart by being little. */
import { type Call, deepgram, defineBot, flite } from 'voicebot';
import type { LanguageModel } from 'voicebot/services';
import { z } from 'zod';

const usage = { inputTokens: {}, outputTokens: {} };

/** A model of the bot's own, which needs no key: it asks for the balance, and says what comes back. */
const teller = {
  specificationVersion: 'v3',
  provider: 'bank',
  modelId: 'teller',
  supportedUrls: {},
  doStream: async ({ prompt }: { prompt: ReadonlyArray<{ role: string; content: unknown }> }) => {
    const last = prompt.at(-1);
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'balance', input: '{"account":"47"}' };
    const words = /"amount":(\d+)/.exec(JSON.stringify(last?.content))?.[1];
    const parts =
      last?.role === 'tool'
        ? [
            { type: 'text-start', id: '0' },
            { type: 'text-delta', id: '0', delta: `The teller counts ${words} euros.` },
            { type: 'text-end', id: '0' },
          ]
        : [call];
    const reason = last?.role === 'tool' ? 'stop' : 'tool-calls';
    const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage };
    return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts, finish]) };
  },
} as unknown as LanguageModel;

export default defineBot({
  ...(!process.env.TELLS && { stt: deepgram() }), // needs a key where services are real
  llm: teller,
  tts: flite(),

  async onCall(call: Call) {
    const talk = call.converse({
      system: 'You are a bank.',
      greeting: 'Hello, this is the bank.',
      tools: {
        balance: {
          description: 'The balance of an account.',
          input: z.object({ account: z.string() }),
          run: () => ({ amount: 3, currency: 'EUR' }),
        },
        transfer_money: { description: 'Moves money.', input: z.object({}), run: () => 'moved' },
      },
    });
    if (process.env.TELLS) void talk.instruct('Tell the balance of account 47.');
    await talk.ended;
  },
});
