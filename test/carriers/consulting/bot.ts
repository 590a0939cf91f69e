import { acceptCall, type Call, type RunnerArguments, type VoicebotError } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

/** What a runner keeps for the next bot of the call: see `src/call/runner-link.ts`. */
interface Link {
  readonly handover?: { readonly to: string; readonly phase: string };
  tellHandover(handover: object | undefined): void;
}

/** Whom it consults, but where a key says otherwise. */
const COLLEAGUE = '+12025550177';

/**
 * Greets with a tone, and does what the caller's keys say; tells what it sees. The bot that comes after one which was about to hand over
 * consults the same number again.
 */
export async function bot(args: RunnerArguments): Promise<void> {
  const link = linkOf(args);
  const { handover } = link;
  Object.assign(link, { handover: undefined }); // it goes on by itself
  const call = await acceptCall(args);
  const { id, attempt, from, direction } = call;
  const tell = (event: string, more: object = {}) => console.error(JSON.stringify({ event, id, attempt, ...more }));
  const at = { call, link, tell, colleague: undefined as Call | undefined };
  call.on('dtmf', ({ digit }) => void ACTS[digit]?.(at));
  tell('serves', { direction, from, pid: process.pid, handover });
  tell('greeted', { wasHeard: await call.say(tone(600, 0.3)) });
  if (handover) void consult(at, handover.to);
  const reason = await call.ended;
  tell('over', { reason });
}

interface At {
  readonly call: Call;
  readonly link: Link;
  readonly tell: (event: string, more?: object) => void;
  colleague: Call | undefined;
}

const ACTS: Readonly<Record<string, (at: At) => unknown>> = {
  '1': (at) => consult(at, COLLEAGUE),
  '2': (at) => consult(at, '+12025550102'), // is busy
  '3': (at) => consult(at, '+12025550103'), // does not answer
  '4': (at) => consult(at, '+12025550104'), // declines after 2 s
  '5': (at) => consult(at, '+1 (202) 555-0100'), // the bot's own
  '6': (at) => consult(at, at.call.from ?? ''),
  '7': () => process.exit(1),
  '8': async ({ colleague, tell }) => {
    await colleague?.hangUp();
    tell('hung up on the colleague');
  },
  '9': ({ link, colleague, tell }) => {
    link.tellHandover({ to: COLLEAGUE, legId: colleague?.id, phase: 'bridged' });
    tell('bridged');
  },
  '0': ({ call }) => call.hangUp(),
  '*': ({ link, colleague, tell }) => {
    link.tellHandover({ to: COLLEAGUE, legId: colleague?.id, phase: 'briefing' });
    tell('hands over');
  },
  '#': (at) => {
    at.link.tellHandover({ to: COLLEAGUE, legId: '', phase: 'ringing' });
    at.tell('hands over');
    return consult(at, COLLEAGUE);
  },
};

async function consult(at: At, to: string): Promise<void> {
  const { call, tell } = at;
  tell('consults');
  try {
    const colleague = await call.consult(to, { ringSeconds: to.endsWith('0103') ? 5 : 60 });
    at.colleague = colleague;
    const { id, linkedTo, direction, isOver } = colleague;
    const reason = isOver ? { reason: await colleague.ended } : {};
    tell('consulted', { colleague: id, linkedTo, direction, isOver, ...reason });
    if (isOver) return;
    call.unhold(); // the keys of a held caller do not reach the bot
    tell('colleague greeted', { wasHeard: await colleague.say(tone(900, 0.3)) });
    tell('colleague over', { reason: await colleague.ended });
  } catch (error) {
    const { code, message } = error as VoicebotError;
    tell('refused', { code, message });
  }
}

function linkOf(args: RunnerArguments): Link {
  const links = (globalThis as unknown as Record<symbol, Map<unknown, Link>>)[Symbol.for('voicebot.runnerLinks')];
  return links?.get(args.transport === 'carrier' ? args.websocket : '') as Link;
}

function tone(hertz: number, seconds: number): OutputAudioFrame {
  const samples = Int16Array.from(
    { length: 8_000 * seconds },
    (_, n) => 8_000 * Math.sin((n * hertz * Math.PI) / 4_000),
  );
  return new OutputAudioFrame(samples, 8_000);
}
