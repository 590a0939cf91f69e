/** A bot that reads something long in a voice of this machine, and stops for a caller who says something. */
import { openai } from '@ai-sdk/openai';
import { type Call, deepgram, defineBot, flite } from 'voicebot';

export const STORY =
  'Once upon a time there was a bakery on a hill, and in that bakery lived a baker who was fond of the sea and of old clocks.';

export default defineBot({
  stt: deepgram(),
  llm: openai.chat('gpt-4.1-mini'),
  tts: flite(),

  async onCall(call: Call) {
    await call.converse({ system: 'Be brief.', greeting: STORY }).ended;
  },
});
