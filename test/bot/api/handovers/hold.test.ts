import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodeWav } from '../../../../src/base/audio/wav.js';
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
