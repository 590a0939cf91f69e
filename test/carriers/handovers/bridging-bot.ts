import { type Call, defineBot } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

const tell = ({ id, attempt }: Call, event: string, more: object = {}) =>
  console.error(JSON.stringify({ event, id, attempt, ...more }));

/** What a party's key does with the recording of its call. */
const ACTS: Readonly<Record<string, (call: Call) => void>> = {
  '5': (call) => call.pauseRecording(),
  '6': (call) => call.resumeRecording(),
  '9': (call) => call.stopRecording(),
};

/** Joins its caller with a colleague, and listens. */
export default defineBot({
  async onCall(call) {
    tell(call, 'serves');
    tell(call, 'greeted', { wasHeard: await call.say(tone(600, 0.3)) });
    const colleague = await call.consult('+12025550177', { ringSeconds: 30 });
    const bridge = await call.bridge(colleague, { listen: true });
    bridge.on('dtmf', ({ party, digit }) => {
      ACTS[digit]?.(party === 'caller' ? call : colleague);
      tell(call, 'key', { party, digit });
    });
    tell(call, 'bridged', { colleague: colleague.id });
    await bridge.ended;
  },
});

function tone(hertz: number, seconds: number): OutputAudioFrame {
  const samples = Int16Array.from(
    { length: 8_000 * seconds },
    (_, n) => 8_000 * Math.sin((n * hertz * Math.PI) / 4_000),
  );
  return new OutputAudioFrame(samples, 8_000);
}
