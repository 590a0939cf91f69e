import { type Call, defineBot, type VoicebotError } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

interface At {
  readonly call: Call;
  readonly tell: (event: string, more?: object) => void;
  /** Has the bot function reject. */
  readonly fail: (error: Error) => void;
}

/**
 * Greets with a tone of 600 Hz and does what the caller's keys say: consults the number that the key stands for, briefs it with 900 Hz, and does what
 * that one's keys say. Tells what it sees.
 */
export default defineBot({
  async onCall(call) {
    const { id, attempt } = call;
    const tell = (event: string, more: object = {}) => console.error(JSON.stringify({ event, id, attempt, ...more }));
    let fail: At['fail'] = () => {};
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    call.on('dtmf', ({ digit }) => {
      const to = NUMBERS[digit];
      if (to) void consult({ call, tell, fail }, to);
      if (digit === '0') void call.hangUp();
    });
    tell('serves', { pid: process.pid });
    tell('greeted', { wasHeard: await call.say(tone(600, 0.3)) });
    tell('over', { reason: await Promise.race([call.ended, failed]) });
  },
});

const NUMBERS: Readonly<Record<string, string>> = {
  '1': process.env.COLLEAGUE ?? '',
  '2': '+12025550102', // is busy
  '3': '+12025550103', // does not answer
  '4': '+12025550104', // declines after 2 s
  '5': '+1 (202) 555-0100', // the bot's own
};

async function consult(at: At, to: string): Promise<void> {
  const { call, tell } = at;
  try {
    const colleague = await call.consult(to, { ringSeconds: 6, hold: process.env.HOLD_FILE ?? 'music' });
    const { id, linkedTo, isOver } = colleague;
    colleague.on('dtmf', ({ digit }) => void ACTS[digit]?.(at, colleague));
    tell('consulted', { colleague: id, linkedTo, isOver, ...(isOver && { reason: await colleague.ended }) });
    if (isOver) return;
    tell('briefed', { wasHeard: await colleague.say(tone(900, 1.5)) });
    tell('colleague over', { reason: await colleague.ended });
  } catch (error) {
    const { code, message } = error as VoicebotError;
    tell('refused', { code, message });
  }
}

const ACTS: Readonly<Record<string, (at: At, colleague: Call) => unknown>> = {
  '9': async ({ call, tell }, colleague) => {
    const bridge = await call.bridge(colleague);
    tell('bridged');
    tell('whispered', { wasHeard: await bridge.whisper(tone(1_200, 0.4), { to: 'caller' }) });
    bridge.leave();
    tell('left');
  },
  '8': async ({ call, tell }, colleague) => {
    await colleague.hangUp();
    call.unhold();
    tell('back', { wasHeard: await call.say(tone(600, 0.3)) });
  },
  '7': ({ fail }) => fail(new Error('as the colleague wants it')),
  '#': () => process.exit(1),
};

function tone(hertz: number, seconds: number): OutputAudioFrame {
  const samples = Int16Array.from(
    { length: 8_000 * seconds },
    (_, n) => 8_000 * Math.sin((n * hertz * Math.PI) / 4_000),
  );
  return new OutputAudioFrame(samples, 8_000);
}
