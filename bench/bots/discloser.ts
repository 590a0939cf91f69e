import { defineBot, flite, type RunnerArguments } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

const TONE = Int16Array.from({ length: 8_000 }, (_, n) =>
  Math.round(9_000 * Math.sin((2 * Math.PI * 600 * n) / 8_000)),
);

/** Says that it is a machine, and then plays a tone. */
const bot = defineBot({
  tts: flite(),
  disclosure: { text: 'Hello. You are talking to a machine.', when: 'outbound' },
  async onCall(call) {
    await call.say(new OutputAudioFrame(TONE, 8_000));
  },
});

/** The same, and tells which process has a call. */
export default Object.defineProperties((args: RunnerArguments) => {
  console.log(JSON.stringify({ id: args.call.id, pid: process.pid }));
  return bot(args);
}, Object.getOwnPropertyDescriptors(bot));
