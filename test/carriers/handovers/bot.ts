import { type Call, defineBot } from 'voicebot';
import { type Frame, type FrameDirection, FrameProcessor, OutputAudioFrame, TTSSpeakFrame } from 'voicebot/pipeline';

/** Whom each key of the caller's connects with. */
const COLLEAGUES: Readonly<Record<string, string>> = {
  '1': '+12025550177',
  '2': '+12025550102', // is busy
  '3': '+12025550103', // does not answer
  '4': '+12025550104', // declines
  '5': '+12025550105', // is a voicemail
};

/** What the colleague hears, and what the caller hears, in hertz. */
const BRIEFING = 1_500;
const OWN_WORDS = 700;

/** Says a tone for each text. */
class Hum extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TTSSpeakFrame) {
      const isBriefing = frame.text === 'briefing';
      const isAsked = frame.text.includes('press');
      this.push(tone(isBriefing || isAsked ? BRIEFING : OWN_WORDS, isBriefing ? 3 : 0.3));
      frame.settle();
    } else this.push(frame, direction);
  }
}

const tell = ({ id, attempt }: Call, event: string, more: object = {}) =>
  console.error(JSON.stringify({ event, id, attempt, ...more }));

/** Hands its caller over warm, to whom the key says. */
export default defineBot({
  tts: () => new Hum(),
  async onCall(call) {
    tell(call, 'serves', { failed: call.failedTransfer?.status, pid: process.pid });
    tell(call, 'greeted', { wasHeard: await call.say('hello') });
    call.on('transfer', ({ status }) => tell(call, 'transfer', { status }));
    for (;;) {
      const heard = await call.listen({ keys: 1, timeoutMs: 60_000 });
      if (!heard) return;
      const outcome = await call.transfer(COLLEAGUES[heard.keys ?? ''], {
        announce: 'one moment',
        warm: {
          brief: 'briefing',
          hold: process.env.HOLD_FILE ?? 'music',
          ringSeconds: Number(process.env.RING_SECONDS ?? 5),
          onDeclined: 'sorry',
        },
      });
      tell(call, 'outcome', { ...outcome });
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
