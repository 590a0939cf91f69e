import { setTimeout as delay } from 'node:timers/promises';
import { type Call, transferTo } from '../../src/bot/api/index.js';
import { OutputAudioFrame } from '../../src/bot/pipeline/frames/index.js';
import { ANNOUNCED, APOLOGY, GREETING, HOLD } from './heard.js';

/**
 * Talks as the bakery until the call is over.
 * @param audio how texts sound
 * @param asked what happens when the model asks for the opening hours, before it has them
 */
export async function serveBakery(
  call: Call,
  audio: (text: string, sampleRate: number) => Int16Array,
  asked: () => void | Promise<void>,
): Promise<void> {
  const line = (text: string) => new OutputAudioFrame(audio(text, 8_000), 8_000);
  call.on('warning', () => {});
  const { ended } = call.converse({
    system: 'Be brief.',
    greeting: GREETING,
    log: () => {},
    failure: { apology: line(APOLOGY) },
    holdLine: line(HOLD),
    tools: {
      hours: {
        description: 'Opening hours.',
        run: async () => {
          await asked();
          await delay(500);
          return 'eight thirty until noon';
        },
      },
      colleague: transferTo('+12025550101', { announce: ANNOUNCED }),
    },
  });
  await ended;
}
