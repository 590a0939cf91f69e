import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { thisProcess } from '../../../src/base/process/process-identity.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { KeptCalls } from '../../../src/runner/operator/kept-calls.js';
import { CALL_ID, EVENTS, FolderUnderTest, RECORD, STARTED_AT } from './folder-under-test.js';
import { TemporaryFolder } from './recorded-line.js';

let directory: TemporaryFolder;
let folder: FolderUnderTest;

beforeEach(() => {
  directory = new TemporaryFolder();
  folder = new FolderUnderTest(directory.path);
});

afterEach(() => directory[Symbol.dispose]());

const WHOLE = {
  record: RECORD,
  transcript: [{ speaker: 'bot', text: 'Hello!', startMs: 50, endMs: 850 }],
  audio: { sampleRate: 8_000, startedAt: STARTED_AT + 50, durationMs: 2_000 },
  isLive: false,
};
const read = () => readCallFolder(folder.path);
const remove = (...names: string[]) => {
  for (const name of names) rmSync(join(folder.path, name));
};

test('a folder that is whole misses nothing', async () => {
  const { events, missing, ...rest } = await read();
  expect(rest).toMatchObject(WHOLE);
  expect(events).toEqual(EVENTS);
  expect(missing).toEqual([]);
});

test('its record says which calls were dialled beside it, and that its number is not to be called again', async () => {
  const more = { consulted: ['leg-1', 'leg-2'], doNotCall: { how: 'said', at: STARTED_AT, toldAt: STARTED_AT + 900 } };
  folder.write('call.json', JSON.stringify({ version: 1, ...RECORD, ...more }));
  expect(await read()).toMatchObject({ record: { ...RECORD, ...more }, missing: [] });
  folder.write(
    'call.json',
    JSON.stringify({ version: 1, ...RECORD, consulted: [7], doNotCall: { how: 'sung', at: 1 } }),
  );
  const { record, missing } = await read();
  expect(record).toEqual(RECORD);
  expect(missing).toEqual(['call.json is damaged: consulted, doNotCall cannot be used.']);
});

/** What is done to a folder, and what its reader says is missing; everything else is there. */
const DAMAGE: ReadonlyArray<readonly [what: string, damage: () => void, missing: readonly string[]]> = [
  ['no call.json', () => remove('call.json'), ['call.json is missing.']],
  ['an empty call.json', () => folder.write('call.json', ''), ['call.json is damaged.']],
  ['half a call.json', () => folder.change('call.json', (all) => all.subarray(0, 40)), ['call.json is damaged.']],
  ['a call.json that is a list', () => folder.write('call.json', '[1, 2]'), ['call.json is damaged.']],
  ['a call.json that is null', () => folder.write('call.json', 'null'), ['call.json is damaged.']],
  [
    'an older version',
    () => folder.write('call.json', JSON.stringify(RECORD)),
    ['It was written by an older voicebot: what that did not write is not shown.'],
  ],
  [
    'a newer version',
    () => folder.write('call.json', JSON.stringify({ version: 7, ...RECORD, mood: 'good' })),
    ['It was written by a newer voicebot (version 7 of the format): what is new in it is not shown.'],
  ],
  ['no transcript', () => remove('transcript.json'), []],
  [
    'a transcript of other things',
    () => folder.write('transcript.json', '{"version":1,"entries":[{"speaker":"dog"}]}'),
    ['transcript.json is damaged: what was said is taken from the events.'],
  ],
  [
    'half a transcript',
    () => folder.change('transcript.json', (all) => all.subarray(0, 30)),
    ['transcript.json is damaged: what was said is taken from the events.'],
  ],
  [
    'a last line that is cut off',
    () => folder.change('events.ndjson', (all) => Buffer.concat([all, Buffer.from('{"at":17954')])),
    ['The last line of events.ndjson is cut off.'],
  ],
  [
    'a line that a killed process has left, with another behind it',
    () => folder.change('events.ndjson', (all) => Buffer.concat([Buffer.from('{"at":1,"ty\n\n'), all])),
    ['1 of 7 lines of events.ndjson cannot be read.'],
  ],
  [
    'lines that are no events',
    () => folder.change('events.ndjson', (all) => Buffer.concat([Buffer.from('7\nnull\n'), all])),
    ['2 of 7 lines of events.ndjson cannot be read.'],
  ],
  [
    'a header that tells of more than there is',
    () => folder.change('audio.wav', tellOf(4 * 32_000)),
    ['audio.wav is cut off: it holds 2.0 s of 4.0 s.'],
  ],
  ['a header that tells of less', () => folder.change('audio.wav', tellOf(400)), []],
  [
    'a header of zeros',
    () => folder.change('audio.wav', (all) => all.fill(0, 0, 44)),
    ['The header of audio.wav is damaged: it is taken for stereo at 8000 Hz.'],
  ],
];

function tellOf(bytes: number) {
  return (all: Buffer) => {
    all.writeUInt32LE(bytes, 40);
    return all;
  };
}

test.each(DAMAGE)('%s', async (_what, damage, missing) => {
  damage();
  const opened = await read();
  expect(opened).toMatchObject(WHOLE);
  expect(opened.missing).toEqual(missing);
});

test('without its events the record is there, and when the recording began is taken for its beginning', async () => {
  remove('events.ndjson');
  const { record, audio, missing } = await read();
  expect(record).toEqual(RECORD);
  expect(audio).toMatchObject({ startedAt: STARTED_AT, durationMs: 2_000 });
  expect(missing).toEqual([
    'events.ndjson is missing.',
    'When the recording began is missing: it is taken for the beginning of the call.',
  ]);
});

test('events are in the order of their times, and kinds that are not known are among them', async () => {
  const later = { at: STARTED_AT + 1, source: 'bot', type: 'thought', idea: 'a new kind' };
  folder.change('events.ndjson', (all) => Buffer.concat([all, Buffer.from(`${JSON.stringify(later)}\n`)]));
  const { events, missing } = await read();
  expect(events[1]).toEqual(later);
  expect(missing).toEqual([]);
});

describe('audio', () => {
  test('that was never recorded is not missing', async () => {
    remove('audio.wav');
    folder.write('events.ndjson', `${JSON.stringify(EVENTS.at(-1))}\n`);
    const opened = await read();
    expect(opened.audio).toBeUndefined();
    expect(opened.missing).toEqual([]);
  });

  test.each([
    ['is gone', () => remove('audio.wav'), 'audio.wav is missing.'],
    ['is empty', () => folder.write('audio.wav', ''), 'audio.wav is cut off: it holds no sound.'],
    [
      'ends in its header',
      () => folder.change('audio.wav', (all) => all.subarray(0, 30)),
      'audio.wav is cut off: it holds no sound.',
    ],
  ])('that %s is', async (_what, damage, sentence) => {
    damage();
    const opened = await read();
    expect(opened.audio).toBeUndefined();
    expect(opened.missing).toEqual([sentence]);
  });

  test('whose recording failed says why', async () => {
    const failed = {
      at: STARTED_AT + 1_500,
      source: 'bot',
      bot: 1,
      type: 'recording',
      is: 'failed',
      reason: 'ENOSPC: full',
    };
    folder.change('events.ndjson', (all) => Buffer.concat([all, Buffer.from(`${JSON.stringify(failed)}\n`)]));
    expect((await read()).missing).toEqual(['The recording stopped during the call: ENOSPC: full.']);
  });
});

describe('a call whose runner was killed', () => {
  const GONE = { pid: 2 ** 22 + 7, startTime: 'never', host: thisProcess().host };
  const live = (runner: object = GONE) => JSON.stringify({ version: 1, ...RECORD, ...LIVE, runner });
  const LIVE = { state: 'connected', endedAt: undefined, endReason: undefined };
  const EARLY = EVENTS.slice(0, 3).map((event) => `${JSON.stringify(event)}\n`);

  beforeEach(() => {
    folder.write('call.json', live());
    folder.write('events.ndjson', EARLY.join(''));
  });

  test('ended when something happened last, nobody knows how', async () => {
    const { record, isLive, missing } = await read();
    expect(isLive).toBe(false);
    expect(record).toMatchObject({ id: CALL_ID, state: 'ended', endedAt: STARTED_AT + 2_050 });
    expect(record.endReason).toBeUndefined();
    expect(record).not.toHaveProperty('runner');
    expect(missing).toEqual([
      'How the call ended is missing: its runner was gone before. It is shown as far as it was kept.',
    ]);
  });

  test('goes on while its bot adds to the folder', async () => {
    rmSync(join(folder.path, 'audio.wav'));
    mkdirSync(join(folder.path, 'audio.wav')); // changed just now
    expect(await read()).toMatchObject({ isLive: true, record: { state: 'connected' } });
  });

  test('goes on while that runner is there', async () => {
    folder.write('call.json', live(thisProcess()));
    folder.write('events.ndjson', '');
    const { isLive, record, missing } = await read();
    expect(isLive).toBe(true);
    expect(record).toMatchObject({ state: 'connected' });
    expect(missing).not.toContainEqual(expect.stringContaining('ended'));
  });

  test('lacks nothing while that runner is there, whatever is written yet', async () => {
    folder.write('call.json', live(thisProcess()));
    remove('events.ndjson');
    expect((await read()).missing).toEqual([]);
    remove('audio.wav');
    expect((await read()).missing).toEqual([]);
    const failed = { at: STARTED_AT, source: 'bot', bot: 1, type: 'recording', is: 'failed', reason: 'ENOSPC: full' };
    folder.write('events.ndjson', `${JSON.stringify(failed)}\n`);
    expect((await read()).missing).toEqual(['The recording stopped during the call: ENOSPC: full.']);
  });
});

test('an empty folder is a call of which nothing is known', async () => {
  remove('call.json', 'events.ndjson', 'audio.wav', 'transcript.json');
  const { record, events, transcript, missing } = await read();
  expect(record).toMatchObject({ id: CALL_ID, state: 'ended', from: '', to: '' });
  expect([events, transcript]).toEqual([[], []]);
  expect(missing).toHaveLength(3);
});

test('a folder that is not there is read too', async () => {
  await expect(readCallFolder(join(directory.path, '2026-01-01-nobody'))).resolves.toMatchObject({
    record: { id: 'nobody' },
    events: [],
  });
});

describe('a call.json', () => {
  const { from: _, ...withoutCaller } = RECORD;

  test.each<[what: string, content: unknown, shown: object, missing: RegExp]>([
    ['without a caller', { version: 1, ...withoutCaller }, withoutCaller, /^$/],
    [
      'whose caller is a number',
      { version: 1, ...RECORD, from: 12_025_550_199 },
      withoutCaller,
      /: from cannot be used/,
    ],
    [
      'that began never',
      { ...RECORD, startedAt: 1e308 },
      { from: RECORD.from, endReason: 'caller_hung_up' },
      /: startedAt /,
    ],
    ['that began before all time', { ...RECORD, startedAt: -1 }, { from: RECORD.from }, /: startedAt /],
    ['that ended never', { ...RECORD, endedAt: 8.64e15 + 1 }, { startedAt: STARTED_AT }, /: endedAt /],
    ['without its id', { ...RECORD, id: undefined }, RECORD, /: id /],
    ['whose id is a list', { ...RECORD, id: [1] }, RECORD, /: id /],
    ['whose state is an object', { ...RECORD, state: {} }, { to: RECORD.to }, /: state /],
    ['whose runner is a text', { ...RECORD, runner: 'here' }, RECORD, /: runner /],
    ['whose attempt is half a one', { ...RECORD, attempt: 0.5 }, { attempt: 1 }, /: attempt /],
    [
      'of wrong fields alone',
      { to: 1, from: [], direction: 'up', attempt: 'x' },
      { to: RECORD.to, direction: 'inbound' },
      /: id, startedAt, /,
    ],
    ['that is a list', [RECORD], RECORD, /^call\.json is damaged\.$/],
    ['that is nothing', null, RECORD, /^call\.json is damaged\.$/],
    ['that is a text', 'call', RECORD, /^call\.json is damaged\.$/],
  ])('%s is shown as far as it goes, in a list too', async (_what, content, shown, missing) => {
    folder.write('call.json', Buffer.from(JSON.stringify(content)));
    const opened = await read();
    expect(opened.record).toMatchObject(shown);
    expect(opened.missing.filter((one) => one.startsWith('call.json')).join(' ')).toMatch(missing);
    expect(Number.isNaN(new Date(opened.record.startedAt).getTime())).toBe(false);
    mkdirSync(join(directory.path, 'calls'));
    renameSync(folder.path, join(directory.path, 'calls', basename(folder.path)));
    expect(await new KeptCalls(directory.path).list()).toMatchObject([{ to: opened.record.to }]);
  });
});

test('records and times among the events that cannot be used are none', async () => {
  const wrong = ['{"at":1e308,"source":"bot","type":"said"}', '{"at":5,"source":"runner","type":"record","record":7}'];
  folder.write(
    'events.ndjson',
    Buffer.from(`${wrong.join('\n')}\n${EVENTS.map((one) => JSON.stringify(one)).join('\n')}\n`),
  );
  const { events, missing } = await read();
  expect(events).toHaveLength(EVENTS.length);
  expect(missing).toEqual(['2 of 7 lines of events.ndjson cannot be read.']);
});

test('any bytes in any file are read', async () => {
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7_919 + (n >> 3)) % 256));
  for (const name of ['call.json', 'events.ndjson', 'audio.wav', 'transcript.json']) folder.write(name, noise);
  const { record, missing } = await read();
  expect(record.id).toBe(CALL_ID);
  expect(missing.length).toBeGreaterThan(2);
});
