import { type Call, defineBot } from 'voicebot';
import { type Frame, type FrameDirection, FrameProcessor, OutputAudioFrame, TTSSpeakFrame } from 'voicebot/pipeline';

/** What it says, in hertz and seconds. `brief`, and the question behind it, is for the destination. */
const TONES = {
  talk: [700, 120],
  announce: [900, 3],
  brief: [1_500, 2],
  question: [1_500, 0.4],
} as const;

/** Says a tone for each text. */
class Hum extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TTSSpeakFrame) {
      const [hertz, seconds] = TONES[frame.text in TONES ? (frame.text as keyof typeof TONES) : 'question'];
      this.push(tone(hertz, seconds));
      frame.settle();
    } else this.push(frame, direction);
  }
}

const tell = ({ id, attempt }: Call, event: string, more: object = {}) =>
  process.stderr.write(`${JSON.stringify({ event, id, attempt, pid: process.pid, ...more })}\n`);

/** Talks until the caller presses a key, and hands them over warm then; talks on with a caller who is back. */
export default defineBot({
  tts: () => new Hum(),
  async onCall(call) {
    tell(call, 'serves', { failed: call.failedTransfer?.status });
    for (;;) {
      const talk = call.say('talk');
      const heard = await call.listen({ keys: 1, timeoutMs: 600_000 });
      if (!heard) return;
      call.interrupt();
      await talk;
      const { status } = await call.transfer(process.env.COLLEAGUE, {
        announce: 'announce',
        warm: { brief: 'brief', hold: process.env.HOLD_FILE ?? 'music', ringSeconds: 20 },
      });
      tell(call, 'outcome', { status });
      if (status === 'answered') return;
    }
  },
});

function tone(hertz: number, seconds: number): OutputAudioFrame {
  const samples = Int16Array.from(
    { length: 8_000 * seconds },
    (_, n) => 8_000 * Math.sin((n * hertz * Math.PI) / 4_000),
  );
  return new OutputAudioFrame(samples, 8_000);
}
