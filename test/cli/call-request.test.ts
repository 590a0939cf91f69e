import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../src/audio/wav.js';
import { type CallOptions, parseCallRequest } from '../../src/cli/call-request.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-call-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const parse = (options: Partial<CallOptions> = {}, number?: string) =>
  parseCallRequest(number, { from: '+12025550199', ...options }, directory);

test('without options: call the runner and stay for up to two minutes', () => {
  expect(parse()).toMatchObject({
    to: undefined,
    limitMs: 120_000,
    leavesWhenDone: false,
    keys: [],
    answerUrl: undefined,
  });
});

test('with keys or speech the caller leaves when done, unless told how long to stay', () => {
  expect(parse({ dtmf: '1' })).toMatchObject({ leavesWhenDone: true, limitMs: 120_000 });
  expect(parse({ dtmf: '1', seconds: '2.5' })).toMatchObject({ leavesWhenDone: false, limitMs: 2_500 });
});

test('takes a number as people write it', () => {
  expect(parse({}, '+1 (202) 555-0105').to).toBe('+12025550105');
});

test.each(['+1', '+0123456789', '++12025550105', ''])('refuses the number %j', (number) => {
  expect(() => parse({}, number)).toThrow('must be a telephone number');
});

test('reads speech at 8000 Hz', () => {
  writeFileSync(
    join(directory, 'in.wav'),
    encodeWav({ sampleRate: 8_000, channels: [new Int16Array(800)], encoding: 'PCMU' }),
  );
  expect(parse({ wav: 'in.wav' }).speech).toHaveLength(800);
});

test('names every problem at once, each with what was typed', () => {
  writeFileSync(join(directory, 'bad.wav'), 'not a WAV file');
  const options = {
    wav: 'bad.wav',
    dtmf: 'w',
    seconds: '0',
    record: 'nowhere/out.wav',
    from: 'me',
    port: '99999',
    server: 'http://example.com',
    answerUrl: 'https://example.com/answer',
  };
  let message = '';
  try {
    parse(options, 'x');
  } catch (error) {
    expect(error).toMatchObject({ name: 'UsageError' });
    message = (error as Error).message;
  }
  for (const start of [
    'number x: must be a telephone number',
    '--from me: must be a telephone number',
    '--wav bad.wav: Not a WAV file',
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

test.each(['-1', '1e3', 'ten', '3601', ''])('refuses --seconds %j', (seconds) => {
  expect(() => parse({ seconds })).toThrow('--seconds');
});

test('refuses a missing WAV file', () => {
  expect(() => parse({ wav: 'nope.wav' })).toThrow('--wav nope.wav: there is no such file');
});

test('refuses keys that would come after the end of the call', () => {
  expect(() => parse({ dtmf: 'w3 1', seconds: '3' })).toThrow(
    'presses its last key after 3 s, but the call ends after 3 s',
  );
});

test('refuses an answer URL together with a runner', () => {
  expect(() => parse({ answerUrl: 'http://127.0.0.1:1/answer', port: '7860' })).toThrow('cannot be combined');
});
