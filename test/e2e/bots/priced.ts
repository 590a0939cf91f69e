/** A bot whose voice and ears are paid for. */
import { type Call, cartesia, deepgram, defineBot } from 'voicebot';

export default defineBot({
  stt: deepgram(),
  tts: cartesia(),
  async onCall(call: Call) {
    await call.say('This call is counted.');
  },
});
