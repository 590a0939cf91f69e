/** A bot with two pairs of ears. */
import { type Call, deepgram, defineBot, flite } from 'voicebot';

export default defineBot({
  stt: [deepgram({ model: 'ears-1' }), deepgram({ model: 'ears-2', baseUrl: process.env.SECOND_URL })],
  tts: flite(),

  async onCall(call: Call) {
    await call.say('Hello.');
    const heard = await call.listen({ words: true, timeoutMs: 20_000 });
    await call.say(`You said ${heard?.words ?? 'nothing.'}`);
  },
});
