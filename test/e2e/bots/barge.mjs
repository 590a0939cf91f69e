import { defineBot } from 'voicebot';

const SPEECH = new URL('../../fixtures/audio/speech.wav', import.meta.url);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Plays a file when the caller is there, and again after each key, which interrupts it; 9 ends the call. */
export default defineBot({
  async onCall(call) {
    console.error(`pid ${process.pid} serves`);
    call.on('dtmf', async ({ digit }) => {
      await pause(Math.random() * 20); // anywhere between two frames
      call.interrupt();
      await pause(500);
      if (digit === '9') await call.hangUp();
      else await call.play(SPEECH);
    });
    await call.play(SPEECH);
    await call.ended;
  },
});
