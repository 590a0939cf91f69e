import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VoicebotError } from '../../../../src/base/errors.js';
import type { Call } from '../../../../src/bot/api/index.js';
import { hurried } from '../../../hasty-clock.js';
import { amplitudeOf, callOn, FakeLink, FRAME, Line, largestStep, toneFile, toneFrames, until } from './line.js';

hurried();

/** A caller, and colleagues who have answered. */
async function consulted(
  count = 1,
): Promise<{ call: Call; colleagues: Call[]; caller: Line; lines: Line[]; runner: FakeLink } & AsyncDisposable> {
  const caller = await Line.open();
  const lines: Line[] = [];
  const runner = new FakeLink();
  const { call } = await callOn(caller, runner);
  const colleagues: Call[] = [];
  for (let at = 0; at < count; at += 1) {
    const line = await Line.open();
    lines.push(line);
    runner.dial = () => line;
    colleagues.push(await call.consult(`+1202555017${at}`, { hold: 'silence' }));
  }
  return {
    call,
    colleagues,
    caller,
    lines,
    runner,
    async [Symbol.asyncDispose]() {
      for (const line of [caller, ...lines]) line.hangUp();
      await Promise.all([call, ...colleagues].map(({ ended }) => ended));
      for (const line of [caller, ...lines]) await line[Symbol.asyncDispose]();
    },
  };
}

/** Frames that tell themselves apart, none of them a step from silence. */
const numbered = (at: number) => Buffer.alloc(FRAME, 0xff).fill(at % 100, FRAME - 20);

test('passes the bytes of a message on as they are, in order, both ways', async () => {
  await using it = await consulted();
  await it.call.bridge(it.colleagues);
  const sent = Array.from({ length: 40 }, (_, at) => numbered(at));
  for (const frame of sent) {
    it.caller.send(frame);
    it.lines[0]?.send(frame);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await until(() => it.lines[0]?.heard.length === 40 && it.caller.heard.length === 40, 'all has been passed on');
  expect(Buffer.compare(Buffer.concat(it.lines[0]?.heard ?? []), Buffer.concat(sent))).toBe(0);
  expect(Buffer.compare(Buffer.concat(it.caller.heard), Buffer.concat(sent))).toBe(0);
});

test('a message goes out in the turn in which it came in: no timer lies between', async () => {
  await using it = await consulted();
  await it.call.bridge(it.colleagues);
  const [line] = it.lines as [Line];
  const delays: number[] = [];
  let sentAt = 0;
  line.onHeard = () => delays.push(performance.now() - sentAt);
  for (let at = 0; at < 20; at += 1) {
    sentAt = performance.now();
    it.caller.send(numbered(at));
    await until(() => delays.length > at, 'it has been passed on');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(Math.max(...delays)).toBeLessThan(20); // of the hurried clock, which moves 5 ms a turn of the event loop
});

test('a whisper is heard by one, and talk goes on; the other hears the talk unchanged', async () => {
  await using it = await consulted();
  const bridge = await it.call.bridge(it.colleagues);
  const [line] = it.lines as [Line];
  it.caller.says = toneFrames(400);
  line.says = toneFrames(600);
  await until(() => it.caller.heard.length > 20, 'they talk');
  const from = it.caller.heard.length;
  const fromOther = line.heard.length;
  expect(await bridge.whisper('x'.repeat(50), { to: 'caller' })).toBe(true);
  const whispered = it.caller.samples.subarray((from + 10) * FRAME, (from + 40) * FRAME);
  expect(amplitudeOf(whispered, 1_000)).toBeGreaterThan(5_000);
  expect(amplitudeOf(whispered, 600)).toBeGreaterThan(7_500);
  const other = line.samples.subarray(fromOther * FRAME);
  expect(amplitudeOf(other, 1_000)).toBeLessThan(60);
  expect(amplitudeOf(other, 400)).toBeGreaterThan(7_500);
});

test('an interruption drops the whisper, and nothing of the talk', async () => {
  await using it = await consulted();
  const bridge = await it.call.bridge(it.colleagues);
  const [line] = it.lines as [Line];
  line.says = toneFrames(600);
  await until(() => it.caller.heard.length > 20, 'they talk');
  const whisper = bridge.whisper('x'.repeat(200), { to: 'caller' });
  const from = it.caller.heard.length;
  await until(() => it.caller.heard.length > from + 20, 'it is heard');
  it.call.interrupt();
  expect(await whisper).toBe(false);
  const at = it.caller.heard.length;
  await until(() => it.caller.heard.length > at + 30, 'talk goes on');
  const after = it.caller.samples.subarray((at + 5) * FRAME);
  expect(amplitudeOf(after, 1_000)).toBeLessThan(60);
  expect(amplitudeOf(after, 600)).toBeGreaterThan(7_500);
});

test('a whisper is heard while the other party sends nothing', async () => {
  await using it = await consulted();
  const bridge = await it.call.bridge(it.colleagues);
  expect(await bridge.whisper('x'.repeat(50), { to: 'colleague' })).toBe(true);
  expect(amplitudeOf((it.lines[0] as Line).samples, 1_000)).toBeGreaterThan(5_000);
  expect(it.caller.heard).toEqual([]);
});

test('keys pass as keys', async () => {
  await using it = await consulted();
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  await it.call.bridge(it.colleagues);
  it.caller.press('4');
  it.caller.press('#');
  await until(() => it.lines[0]?.pressed === '4#', 'the keys have passed');
  expect(keys).toEqual([]);
});

test('has left: the bot is not needed, and the call ends as transferred when one of the two hangs up', async () => {
  await using it = await consulted();
  const bridge = await it.call.bridge(it.colleagues);
  bridge.leave();
  const finished = it.call.finish();
  it.caller.says = toneFrames(400);
  await until(() => (it.lines[0]?.heard.length ?? 0) > 50, 'they talk');
  expect(it.call.isOver).toBe(false);
  it.lines[0]?.hangUp();
  await finished;
  expect(await it.call.ended).toBe('transferred');
  expect(await bridge.ended).toBe('colleague');
  expect(it.runner.endings).toEqual(['transferred']);
  expect(it.runner.told).toEqual([expect.objectContaining({ phase: 'bridged', legId: 'leg-1', to: '+12025550170' })]);
});

test('a colleague who hangs up gives the caller back to the bot, who hears them again', async () => {
  await using it = await consulted();
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  const bridge = await it.call.bridge(it.colleagues);
  it.lines[0]?.hangUp();
  expect(await bridge.ended).toBe('colleague');
  it.caller.press('7');
  await until(() => keys.length > 0, 'the bot hears the caller');
  expect(await it.call.say('hello')).toBe(true);
  expect(it.runner.told.at(-1)).toBeUndefined();
});

test('ends it for either', async () => {
  await using it = await consulted();
  const bridge = await it.call.bridge(it.colleagues);
  await bridge.end('colleague');
  expect({ over: it.call.isOver, colleague: await it.colleagues[0]?.ended }).toEqual({
    over: false,
    colleague: 'bot_ended',
  });
  expect(await bridge.ended).toBe('bot');
});

test('three hear each other, and none hears itself', async () => {
  await using it = await consulted(2);
  const [first, second] = it.lines as [Line, Line];
  await it.call.bridge(it.colleagues);
  it.caller.says = toneFrames(400);
  first.says = toneFrames(600);
  second.says = toneFrames(850);
  await until(() => [it.caller, first, second].every(({ heard }) => heard.length > 100), 'they talk');
  const levels = (line: Line) =>
    [400, 600, 850].map((hertz) => Math.round(amplitudeOf(line.samples.subarray(-50 * FRAME), hertz) / 1_000));
  expect([levels(it.caller), levels(first), levels(second)]).toEqual([
    [0, 8, 8],
    [8, 0, 8],
    [8, 8, 0],
  ]);
});

test('those who are joined, and a caller on hold, stay for longer than a bot may be idle', async () => {
  await using it = await consulted();
  const later = async () => {
    jest.advanceTimersByTime(300_000); // the limit of a pipeline
    await new Promise((resolve) => setImmediate(resolve));
  };
  const bridge = await it.call.bridge(it.colleagues);
  await later();
  expect(bridge.isOver).toBe(false);
  it.lines[0]?.hangUp();
  await bridge.ended;
  await it.call.hold({ sound: 'silence' });
  await later();
  expect(it.call.isOver).toBe(false);
  it.call.unhold();
  await later();
  expect(await it.call.ended).toBe('bot_ended');
});

test('what is louder than a line can carry is clipped, and does not wrap', async () => {
  await using it = await consulted(2);
  const [first, second] = it.lines as [Line, Line];
  await it.call.bridge(it.colleagues);
  first.says = toneFrames(400, 30_000);
  second.says = toneFrames(400, 30_000);
  await until(() => it.caller.heard.length > 100, 'they shout');
  expect(largestStep(it.caller.samples.subarray(-50 * FRAME))).toBeLessThan(24_000); // a sum that wraps steps by 60000
});

test('no click where music ends and talk begins, and where talk ends', async () => {
  await using it = await consulted();
  const [line] = it.lines as [Line];
  const folder = await mkdtemp(join(tmpdir(), 'voicebot-joints-'));
  await it.call.hold({ sound: toneFile(folder) });
  line.says = toneFrames(300, 20_000);
  await until(() => it.caller.heard.length > 100, 'the caller hears music');
  const bridge = await it.call.bridge(it.colleagues);
  const from = it.caller.heard.length;
  await until(() => it.caller.heard.length > from + 100, 'they talk');
  await bridge.end('colleague');
  await new Promise((resolve) => setTimeout(resolve, 100));
  const talk = it.caller.samples.subarray((from + 20) * FRAME, (from + 90) * FRAME); // with the steps of mu-law
  expect(largestStep(it.caller.samples)).toBeLessThanOrEqual(largestStep(talk) + 50);
  await rm(folder, { recursive: true });
});

/** The next time that this party is to hear others, the room does not confirm it. */
function refuseOnce({ leg: { party } }: Call): void {
  const { hear } = party;
  party.hear = () => {
    party.hear = hear;
    return Promise.reject(new VoicebotError('VB_ROOMS_REQUEST_FAILED', 'as the test wants it'));
  };
}

test('a bridge that fails half-way: none hears the others, and each is with the bot, which can join them then', async () => {
  await using it = await consulted();
  const [colleague] = it.colleagues as [Call];
  const [line] = it.lines as [Line];
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  refuseOnce(colleague);
  await expect(it.call.bridge(colleague)).rejects.toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
  expect(it.runner.told).toEqual([]);
  line.send(numbered(1));
  line.press('9');
  it.caller.press('7');
  await until(() => keys.length > 0, 'the bot hears the caller');
  expect(await it.call.say('hello')).toBe(true);
  expect(amplitudeOf(it.caller.samples.subarray(0, 4 * FRAME), 1_000)).toBeGreaterThan(5_000); // nothing was heard before
  expect(it.caller.pressed).toBe('');
  await it.call.hold();
  it.call.unhold();
  const bridge = await it.call.bridge(colleague);
  line.hangUp();
  expect(await bridge.ended).toBe('colleague');
});

test('a party who hangs up while the bridge is being made is not joined: it is refused, and the caller is with the bot', async () => {
  await using it = await consulted();
  const [colleague] = it.colleagues as [Call];
  const { party } = colleague.leg;
  const hear = party.hear.bind(party);
  party.hear = async (others) => {
    party.hear = hear;
    await hear(others);
    it.lines[0]?.hangUp();
    await colleague.ended;
  };
  await expect(it.call.bridge(colleague)).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
  expect(it.runner.told).toEqual([]);
  expect(await it.call.say('hello')).toBe(true);
});

test('one who cannot be added is with the bot alone, and the others go on', async () => {
  await using it = await consulted(3);
  const [first, second, third] = it.colleagues as [Call, Call, Call];
  const [, , line] = it.lines as [Line, Line, Line];
  const bridge = await it.call.bridge([first, second]);
  const left: string[] = [];
  bridge.on('hung_up', ({ callId }) => left.push(callId));
  refuseOnce(third);
  await expect(bridge.add(third)).rejects.toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
  line.says = toneFrames(850);
  it.caller.says = toneFrames(400);
  await until(() => (it.lines[0]?.heard.length ?? 0) > 50, 'the others talk');
  expect(amplitudeOf((it.lines[0] as Line).samples.subarray(-40 * FRAME), 850)).toBeLessThan(60);
  expect(line.heard).toEqual([]);
  await bridge.add(third);
  await until(() => line.heard.length > 50, 'the third one hears them');
  line.hangUp();
  await third.ended;
  await until(() => left.length > 0, 'it is told who has hung up');
  expect({ left, isOver: bridge.isOver }).toEqual({ left: [third.id], isOver: false });
});

test('a hold whose file is being read when they are joined is refused, and that of a warm transfer is not heard', async () => {
  await using it = await consulted();
  const folder = await mkdtemp(join(tmpdir(), 'voicebot-late-hold-'));
  const sound = toneFile(folder);
  it.runner.dial = () => 'no_answer';
  const holding = it.call.hold({ sound });
  const transferring = it.call.transfer('+12025550179', { warm: { brief: 'x', hold: sound } });
  await it.call.bridge(it.colleagues);
  await expect(holding).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
  expect(await transferring).toMatchObject({ status: 'refused' });
  it.lines[0]?.send(numbered(1));
  await until(() => it.caller.heard.length > 0, 'the caller hears the colleague');
  expect(it.caller.heard).toEqual([numbered(1)]);
  await rm(folder, { recursive: true });
});

test('what cannot be joined is refused, all problems at once', async () => {
  await using it = await consulted();
  const [colleague] = it.colleagues as [Call];
  await expect(it.call.bridge(it.call)).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
  await expect(it.call.bridge([], { listen: 1, loud: true } as never)).rejects.toThrow(
    /loud is not known.*listen must be true or false.*no call to join/,
  );
  await it.call.bridge(colleague);
  await expect(it.call.bridge(colleague)).rejects.toThrow('joined with others already');
  await expect(it.call.hold()).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
  it.lines[0]?.hangUp();
  await colleague.ended;
  await expect(it.call.bridge(colleague)).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
});
