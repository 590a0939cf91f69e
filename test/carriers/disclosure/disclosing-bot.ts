import { defineBot, flite, type RunnerArguments } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

/** Says that it is a machine, and then nothing but a tone, unless its callee does not want to be called again. */
const bot = defineBot({
  tts: flite(),
  disclosure: { text: 'Hello. You are talking to a machine.', when: 'always' },
  doNotCall: { key: '5' },
  async onCall(call) {
    console.error(JSON.stringify({ event: 'goes_on', id: call.id, attempt: call.attempt, pid: process.pid }));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await call.say(tone(600, 1.5));
  },
});

export default Object.defineProperties((args: RunnerArguments) => {
  console.error(JSON.stringify({ event: 'takes', id: args.call.id, pid: process.pid }));
  return bot(args);
}, Object.getOwnPropertyDescriptors(bot));

function tone(hertz: number, seconds: number): OutputAudioFrame {
  const samples = Int16Array.from({ length: seconds * 8_000 }, (_, n) =>
    Math.round(9_000 * Math.sin((2 * Math.PI * hertz * n) / 8_000)),
  );
  return new OutputAudioFrame(samples, 8_000);
}
