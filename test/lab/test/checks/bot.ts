/** A bot that books a table: it writes the booking into the file STORE, or posts it to BOOK_URL; with FORGETS it only says so. */
import { appendFileSync } from 'node:fs';
import { openai } from '@ai-sdk/openai';
import { type Call, cartesia, deepgram, defineBot } from 'voicebot';
import { z } from 'zod';

async function store(booking: object): Promise<void> {
  const { STORE, BOOK_URL, FORGETS } = process.env;
  if (FORGETS) return;
  if (STORE) appendFileSync(STORE, `${JSON.stringify(booking)}\n`);
  if (BOOK_URL) await fetch(BOOK_URL, { method: 'POST', body: JSON.stringify(booking) });
}

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),

  async onCall(call: Call) {
    const talk = call.converse({
      system: 'You book tables.',
      greeting: 'Hello, which day?',
      tools: {
        book: {
          description: 'Books a table.',
          input: z.object({ day: z.string() }),
          run: async ({ day }) => {
            await store({ day, caller: call.from });
            return 'booked';
          },
        },
      },
    });
    await talk.ended;
  },
});
