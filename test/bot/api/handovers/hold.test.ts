import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deferred } from '../../../../src/base/async/deferred.js';
import { encodeWav } from '../../../../src/base/audio/wav.js';
import type { Call } from '../../../../src/bot/api/index.js';
import type { EndReason } from '../../../../src/call/call.js';
import type { LinkedOutcome } from '../../../../src/call/runner-link.js';
import { hurried } from '../../../hasty-clock.js';
import { amplitudeOf, callOn, FakeLink, FRAME, Line, largestStep, toneFile, until } from './line.js';

hurried();

async function held() {
  const line = await Line.open();
  const { call, runner } = await callOn(line);
  const hears = async (frames: number) => {
    const from = line.heard.length;
    await until(() => line.heard.length >= from + frames, `${frames} frames heard`);
    return line.samples.subarray(from * FRAME, (from + frames) * FRAME);
  };
  return {
    line,
    call,
    runner,
    hears,
    async [Symbol.asyncDispose]() {
      line.hangUp();
      await call.ended;
      await line[Symbol.asyncDispose]();
    },
  };
}

const loudness = (pcm: Int16Array) => Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);

test('the caller hears a sound without a click, and nothing of what they press reaches the bot until they are off hold', async () => {
  await using it = await held();
  const folder = await mkdtemp(join(tmpdir(), 'voicebot-hold-'));
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  await it.call.hold({ sound: toneFile(folder) });
  const music = await it.hears(120);
  it.line.press('1');
  await it.hears(20);
  it.call.unhold();
  const count = it.line.heard.length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(it.line.heard.length - count).toBeLessThan(6);
  it.line.press('2');
  await until(() => keys.length > 0, 'the bot hears the caller again');
  expect({ keys, isLoud: loudness(music) > 500 }).toEqual({ keys: ['2'], isLoud: true });
  expect(largestStep(it.line.samples)).toBeLessThan(1_178 + 300); // of the tone itself, and a step of mu-law
  await rm(folder, { recursive: true });
  expect(Math.abs(it.line.samples.at(-1) as number)).toBeLessThan(300);
});

test('music stops while the bot speaks to them, and goes on after', async () => {
  await using it = await held();
  await it.call.hold();
  await it.hears(50);
  const from = it.line.heard.length;
  expect(await it.call.say('x'.repeat(50))).toBe(true);
  const said = it.line.samples.subarray((from + 10) * FRAME, (from + 40) * FRAME);
  const alone = Math.sqrt(loudness(said) ** 2 - amplitudeOf(said, 1_000) ** 2 / 2);
  await it.hears(60);
  const after = await it.hears(50);
  expect({ spoke: amplitudeOf(said, 1_000) > 5_500, alone: alone < 300, goesOn: loudness(after) > 500 }).toEqual({
    spoke: true,
    alone: true,
    goesOn: true,
  });
});

test('a file of the own is heard again and again; held twice is held once', async () => {
  await using it = await held();
  const folder = await mkdtemp(join(tmpdir(), 'voicebot-hold-'));
  const file = join(folder, 'hold.wav');
  const tone = Int16Array.from({ length: 4_000 }, (_, i) => 9_000 * Math.sin((2 * Math.PI * 700 * i) / 16_000));
  writeFileSync(file, encodeWav({ encoding: 'L16', channels: [tone], sampleRate: 16_000 }));
  await it.call.hold({ sound: 'silence' });
  await it.call.hold({ sound: pathToFileURL(file) });
  const heard = await it.hears(100); // 2 s of a sound of 250 ms
  expect(amplitudeOf(heard.subarray(50 * FRAME, 62 * FRAME), 700)).toBeGreaterThan(6_000);
  it.call.unhold();
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  it.line.press('5');
  await until(() => keys.length > 0, 'one unhold is enough');
  await rm(folder, { recursive: true });
});

test('what is no sound is refused, all problems at once', async () => {
  await using it = await held();
  await expect(it.call.hold({ sound: '', volume: 3 } as never)).rejects.toMatchObject({
    code: 'VB_REQUEST_INVALID',
    message: expect.stringMatching(/volume is not known.*sound must be music, silence/),
  });
  await expect(it.call.hold({ sound: 'no-such-file.wav' })).rejects.toMatchObject({ code: 'VB_WAV_INVALID' });
});

test('a colleague who is not reached: the caller is off hold, and the bot knows why', async () => {
  await using it = await held();
  it.runner.dial = () => 'busy';
  const colleague = await it.call.consult('+1 202 555 0177', { ringSeconds: 5 });
  expect({ isOver: colleague.isOver, reason: await colleague.ended, asked: it.runner.asked }).toEqual({
    isOver: true,
    reason: 'busy',
    asked: [{ to: '+12025550177', ringSeconds: 5 }],
  });
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  it.line.press('5');
  await until(() => keys.length > 0, 'the caller is with the bot');
});

test('who cannot be consulted is refused, and the caller is not on hold', async () => {
  await using it = await held();
  await expect(it.call.consult('12', { ringSeconds: 2.5, hold: 7, loud: 1 } as never)).rejects.toThrow(
    /loud is not known.*ringSeconds must be a whole number.*hold must be/,
  );
  await expect(it.call.consult('12')).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
  it.runner.dial = () => {
    throw new Error('not this one');
  };
  await expect(it.call.consult('+12025550177')).rejects.toThrow('not this one');
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  it.line.press('5');
  await until(() => keys.length > 0, 'the caller is with the bot');
});

describe('a colleague who hangs up before they are joined', () => {
  test.each([
    ['is with the bot again', async () => {}, false],
    ['stays on hold where the bot has put them there since', (call: Call) => call.hold(), true],
  ])('the caller %s', async (_, meanwhile, isHeld) => {
    await using it = await held();
    await using line = await Line.open();
    it.runner.dial = () => line;
    const colleague = await it.call.consult('+12025550177');
    expect(it.call.leg.isHeld).toBe(true);
    await meanwhile(it.call);
    line.hangUp();
    await colleague.ended;
    await expect(it.call.bridge(colleague)).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
    expect(it.call.leg.isHeld).toBe(isHeld);
  });
});

test('a caller on hold who comes back from a cold transfer is with the bot, and is joined with no one while it goes on', async () => {
  await using it = await held();
  await using line = await Line.open();
  await using back = await Line.open();
  it.runner.dial = () => line;
  const colleague = await it.call.consult('+12025550177');
  const outcome = deferred<LinkedOutcome>();
  const transfer = it.call.transfer('+12025550178');
  await until(() => it.runner.cold.length > 0, 'the carrier is asked');
  it.runner.cold[0]?.resolve({ outcome: outcome.promise });
  await it.line.isClosed;
  await expect(it.call.bridge(colleague)).rejects.toMatchObject({ code: 'VB_TRANSFER_FAILED' });
  outcome.resolve({ status: 'busy', detail: 'it was busy', websocket: back.websocket });
  expect(await transfer).toMatchObject({ status: 'busy' });
  expect(it.call.leg.isHeld).toBe(false);
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  back.press('5');
  await until(() => keys.length > 0, 'the caller is with the bot');
  line.hangUp();
  back.hangUp();
});

describe('of two who are called at once', () => {
  const isHeld = ({ call }: { readonly call: Call }) => call.leg.isHeld;

  test.each(['before', 'after'])(
    'one who is not reached, %s the other has answered, does not take the caller off hold',
    async (when) => {
      await using it = await held();
      await using colleague = await Line.open();
      const ringing = { '+12025550177': deferred<Line | EndReason>(), '+12025550178': deferred<Line | EndReason>() };
      it.runner.dial = (to) => ringing[to as keyof typeof ringing].promise;
      const both = Promise.all([it.call.consult('+12025550177'), it.call.consult('+12025550178')]);
      await until(() => it.runner.asked.length === 2, 'both ring');
      const steps = [() => ringing['+12025550177'].resolve('busy'), () => ringing['+12025550178'].resolve(colleague)];
      for (const step of when === 'before' ? steps : steps.toReversed()) {
        step();
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(isHeld(it)).toBe(true);
      }
      expect((await both).map(({ isOver }) => isOver)).toEqual([true, false]);
      expect(isHeld(it)).toBe(true);
      colleague.hangUp();
    },
  );

  test('the caller is off hold when neither is reached', async () => {
    await using it = await held();
    it.runner.dial = (to) => (to === '+12025550177' ? 'busy' : 'no_answer');
    await Promise.all([it.call.consult('+12025550177'), it.call.consult('+12025550178')]);
    expect(isHeld(it)).toBe(false);
  });

  test('the bot that has taken the caller off hold gets them back when the next one is not reached', async () => {
    await using it = await held();
    await using colleague = await Line.open();
    it.runner.dial = () => colleague;
    await it.call.consult('+12025550177');
    it.call.unhold();
    it.runner.dial = () => 'busy';
    await it.call.consult('+12025550178');
    expect(isHeld(it)).toBe(false);
    colleague.hangUp();
  });
});

test('who is not reached while another one is briefed does not take the caller off hold', async () => {
  await using it = await held();
  await using colleague = await Line.open();
  it.runner.dial = (to) => (to === '+12025550177' ? colleague : 'busy');
  const transfer = it.call.transfer('+12025550177', { warm: { brief: 'A caller about their invoice.' } });
  await until(() => colleague.heard.length > 5, 'the colleague is briefed');
  await it.call.consult('+12025550178');
  expect(it.call.leg.isHeld).toBe(true);
  colleague.press('2');
  expect(await transfer).toMatchObject({ status: 'declined' });
  expect(it.call.leg.isHeld).toBe(false);
});

test('a caller who was joined with others while the sound was read is not put on hold', async () => {
  await using it = await held();
  await using colleague = await Line.open();
  it.runner.dial = () => colleague;
  const other = await it.call.consult('+12025550177');
  const folder = await mkdtemp(join(tmpdir(), 'voicebot-hold-'));
  const holding = it.call.hold({ sound: toneFile(folder) });
  await it.call.bridge(other);
  await expect(holding).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
  expect(it.call.leg.isHeld).toBe(false);
  await rm(folder, { recursive: true });
  colleague.hangUp();
});

test('a caller who leaves ends the ringing', async () => {
  const line = await Line.open();
  const runner = new FakeLink();
  runner.dial = () => new Promise(() => {});
  const { call } = await callOn(line, runner);
  const consulting = call.consult('+12025550177');
  await until(() => runner.asked.length > 0, 'it rings');
  line.hangUp();
  const colleague = await consulting;
  expect({ ended: runner.ended, isOver: colleague.isOver }).toEqual({ ended: ['leg-1'], isOver: true });
  await line[Symbol.asyncDispose]();
});
