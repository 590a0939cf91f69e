import { type Call, defineBot } from 'voicebot';
import { type Frame, type FrameDirection, FrameProcessor, OutputAudioFrame, TTSSpeakFrame } from 'voicebot/pipeline';

/** Who answers a warm transfer. */
const COLLEAGUE = '+12025550177';

/** Says a tone of a third of a second for each text. */
class Hum extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TTSSpeakFrame) {
      this.push(tone(700, frame.text === 'briefing' ? 3 : 0.3));
      frame.settle();
    } else this.push(frame, direction);
  }
}

const tell = ({ id, attempt }: Call, event: string, more: object = {}) =>
  console.error(JSON.stringify({ event, id, attempt, ...more }));

/** Hands its caller over warm when they press 1; 7 kills the process when the colleague is briefed or bridged. */
export default defineBot({
  tts: () => new Hum(),
  async onCall(call) {
    tell(call, 'serves', { failed: call.failedTransfer?.status });
    tell(call, 'greeted', { wasHeard: await call.say('hello') });
    call.on('transfer', ({ status }) => tell(call, 'transfer', { status }));
    for (;;) {
      const heard = await call.listen({ keys: 1, timeoutMs: 60_000 });
      if (!heard) return;
      const outcome = await call.transfer(COLLEAGUE, {
        announce: 'one moment',
        warm: { brief: 'briefing', hold: 'music', ringSeconds: 5, onDeclined: 'sorry' },
      });
      tell(call, 'outcome', { status: outcome.status });
      if (outcome.status === 'answered') return;
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
