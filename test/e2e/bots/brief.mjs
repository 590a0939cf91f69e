import { defineBot } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

/** Plays a tone of 0.2 s and ends the call. */
export default defineBot({
  async onCall(call) {
    const pcm = Int16Array.from({ length: 1_600 }, (_, n) => 4_000 * Math.sin(n / 3));
    await call.say(new OutputAudioFrame(pcm, 8_000));
  },
});
