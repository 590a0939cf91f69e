import { acceptCall, type Call, type RunnerArguments } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

/** Greets with a tone, and does what the caller's keys say, or the body of a call that it dials; tells what it sees. */
export async function bot(args: RunnerArguments): Promise<void> {
  const call = await acceptCall(args);
  const { id, direction, from, to, attempt, query, body } = call;
  const tell = (event: string, more: object = {}) => console.error(JSON.stringify({ event, id, attempt, ...more }));
  call.on('dtmf', ({ digit }) => {
    tell('key', { digit });
    void act(call, digit, tell);
  });
  tell('serves', { direction, from, to, query, body, pid: process.pid });
  tell('greeted', { wasHeard: await call.say(tone(600, 0.3)) });
  const { does } = body as { does?: string };
  if (does !== undefined) void act(call, does, tell);
  tell('over', { reason: await call.ended });
}

type Tell = (event: string, more?: object) => void;

const ACTS: Readonly<Record<string, (call: Call, tell: Tell) => Promise<unknown>>> = {
  '0': async (call, tell) => {
    tell('said', { wasHeard: await call.say(tone(400, 8)) });
    await call.hangUp();
  },
  '1': (call) => call.hangUp(),
  '2': (call) => call.press('12#'),
  '3': async (call, tell) => tell('said', { wasHeard: await call.say(tone(400, 20)) }),
  '4': async (call) => call.interrupt(),
  '5': (call, tell) => transfer(call, '+12025550102', tell), // is busy
  '6': (call, tell) => transfer(call, '+12025550107', tell), // answers, and hangs up after 3 s
  '7': async () => process.exit(1),
  '8': (call, tell) => transfer(call, '+12025550104', tell), // declines after 2 s
  '9': (call, tell) => transfer(call, '+12025550108', tell), // fails as the destination of a transfer
  '*': (call, tell) => transfer(call, '+12025550103', tell), // rings, and nobody answers
};

async function act(call: Call, key: string, tell: Tell): Promise<void> {
  await ACTS[key]?.(call, tell);
}

async function transfer(call: Call, to: string, tell: Tell): Promise<void> {
  const { status } = await call.transfer(to);
  tell('transfer', { status });
  await call.say(tone(600, 0.3));
}

function tone(hertz: number, seconds: number): OutputAudioFrame {
  const samples = Int16Array.from(
    { length: 8_000 * seconds },
    (_, n) => 8_000 * Math.sin((n * hertz * Math.PI) / 4_000),
  );
  return new OutputAudioFrame(samples, 8_000);
}
