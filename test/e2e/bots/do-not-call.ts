import { deepgram, defineBot, flite } from 'voicebot';

/** Talks until the call is over. With `dies` in the call's data the first bot dies when the number is on the list, before it can say so. */
export default defineBot<{ dies?: boolean }>({
  stt: deepgram(),
  tts: flite(),
  doNotCall: { key: '9' },
  async onCall(call) {
    call.on('do_not_call', () => {
      if (call.body.dies && call.attempt === 1) process.kill(process.pid, 'SIGKILL');
    });
    if (call.attempt === 1) await call.say('Hello.');
    await call.ended;
  },
});
