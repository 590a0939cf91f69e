import { defineBot, flite, type RunnerArguments } from 'voicebot';
import {
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
  TranscriptionFrame,
} from 'voicebot/pipeline';
import { SENTENCE } from '../dialing/sentence.js';

const TONE = Int16Array.from({ length: 8_000 }, (_, n) =>
  Math.round(9_000 * Math.sin((2 * Math.PI * 600 * n) / 8_000)),
);
/** What a callee says is louder, the silence of their line is not. */
const LOUD = 1_000;

/** Ears that understand one thing, whatever the callee says. */
class Ears extends FrameProcessor {
  #hasHeard = false;

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
    if (this.#hasHeard || !(frame instanceof InputAudioFrame)) return;
    this.#hasHeard = frame.pcm.some((sample) => Math.abs(sample) > LOUD);
    if (this.#hasHeard) this.push(new TranscriptionFrame('Please do not call me again.', true));
  }
}

/** Says that it is a machine, and then plays a tone. */
const bot = defineBot({
  stt: () => new Ears(),
  tts: flite(),
  disclosure: { text: SENTENCE, when: 'outbound' },
  doNotCall: { key: '9' },
  async onCall(call) {
    await call.say(new OutputAudioFrame(TONE, 8_000));
  },
});

/** The same, and tells which process has a call. */
export default Object.defineProperties((args: RunnerArguments) => {
  console.log(JSON.stringify({ id: args.call.id, pid: process.pid }));
  return bot(args);
}, Object.getOwnPropertyDescriptors(bot));
