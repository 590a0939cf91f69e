import { deepgram, defineBot, flite } from 'voicebot';

/** Says how to reach it, in a language that its stand-ins do not speak. */
export default defineBot({
  stt: deepgram({ language: 'de' }),
  tts: flite(),
  async onCall(call) {
    await call.say('Guten Tag.');
    await call.listen({ words: true, timeoutMs: 30_000 });
  },
});
