import { acceptCall, type Call, type RunnerArguments, type VoicebotError } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

/** What a runner keeps for the next bot of the call: see `src/call/runner-link.ts`. */
interface Link {
  readonly handover?: { readonly to: string; readonly phase: string; readonly legId: string };
}

interface At {
  readonly call: Call;
  readonly tell: (event: string, more?: object) => void;
}

/**
 * Greets with a tone of 600 Hz and does what the caller's keys say: consults the number that the key stands for, briefs it with 900 Hz, and does what
 * that one's keys say. Tells what it sees.
 */
export async function bot(args: RunnerArguments): Promise<void> {
  const call = await acceptCall(args);
  const { id, attempt } = call;
  const tell = (event: string, more: object = {}) => console.error(JSON.stringify({ event, id, attempt, ...more }));
  const { handover } = linkOf(args) ?? {};
  call.on('dtmf', ({ digit }) => {
    tell('pressed', { digit });
    const to = NUMBERS[digit];
    if (to) void consult({ call, tell }, to);
    if (digit === '0') void call.hangUp();
    if (digit === '#') process.exit(1);
  });
  tell('serves', { pid: process.pid, handover });
  if (!handover) tell('greeted', { wasHeard: await call.say(tone(600, 0.3)) });
  tell('over', { reason: await call.ended });
}

const NUMBERS: Readonly<Record<string, string>> = {
  '1': process.env.COLLEAGUE ?? '',
  '2': '+12025550102', // is busy
  '3': '+12025550103', // does not answer
  '4': '+12025550104', // declines after 2 s
  '5': '+1 (202) 555-0100', // the bot's own
};

async function consult({ call, tell }: At, to: string): Promise<void> {
  try {
    const colleague = await call.consult(to, { ringSeconds: 6, hold: process.env.HOLD_FILE ?? 'music' });
    const { id, linkedTo, isOver } = colleague;
    colleague.on('dtmf', ({ digit }) => void ACTS[digit]?.({ call, tell }, colleague));
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
  '#': () => process.exit(1),
};

function linkOf(args: RunnerArguments): Link | undefined {
  const links = (globalThis as unknown as Record<symbol, Map<unknown, Link>>)[Symbol.for('voicebot.runnerLinks')];
  return args.transport === 'rooms' ? links?.get(`${args.token} ${args.room_url}`) : undefined;
}

function tone(hertz: number, seconds: number): OutputAudioFrame {
  const samples = Int16Array.from(
    { length: 8_000 * seconds },
    (_, n) => 8_000 * Math.sin((n * hertz * Math.PI) / 4_000),
  );
  return new OutputAudioFrame(samples, 8_000);
}
