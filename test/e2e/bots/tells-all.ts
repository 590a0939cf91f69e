/** A bot that writes everything that it hears to its output, into the errors of its functions, and into the one that it throws in the end. */
import { openai } from '@ai-sdk/openai';
import { type Call, cartesia, deepgram, defineBot } from 'voicebot';
import { z } from 'zod';

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),

  async onCall(call: Call) {
    const heard: string[] = [];
    call.on('dtmf', (key) => {
      heard.push(String(Object(key).digit ?? key));
      process.stdout.write(`key ${heard.join('')} of ${call.from}\n`);
    });
    const talk = call.converse({
      system: 'You answer.',
      greeting: 'Hello, this is Bluebird.',
      tools: {
        note_secret: {
          description: 'Notes a secret.',
          input: z.object({}).loose(),
          run: () => {
            throw new Error(`${call.from} has said: the moon is made of cheese`);
          },
        },
      },
    });
    await talk.ended;
    process.stderr.write(`${call.from} has said: the moon is made of cheese\n`);
    throw new Error(`${call.from} pressed ${heard.join('')}: the moon is made of cheese`);
  },
});
