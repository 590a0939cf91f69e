import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { folderFigures } from '../../../src/call/folder/folder-figures.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { sine } from '../../base/audio/signals.js';
import { MadeTalk, TALK_AT } from '../view/made-talk.js';
import { FolderUnderTest } from './folder-under-test.js';
import { TemporaryFolder } from './recorded-line.js';

/** The bot answers into a pause of the caller, 300 ms earlier by the sound than its events tell. */
const talk = new MadeTalk(60_000)
  .says(1_000, 2_000, 'I would like')
  .says(2_900, 4_000, 'a table.')
  .answers(5_000, 6_000, 'When?')
  .says(30_000, 31_000, 'On Sunday.')
  .answers(31_800, 33_000, 'We are closed.');

/** A folder of that call. @param bot when the bot is heard in the recording, in milliseconds */
function folderOf(directory: string, sampleRate: number, bot: ReadonlyArray<readonly [number, number]>): string {
  const { path } = new FolderUnderTest(directory);
  const started = { type: 'recording', is: 'started', startedAt: TALK_AT, sampleRate, at: TALK_AT, source: 'bot' };
  writeFileSync(join(path, 'events.ndjson'), '');
  for (const event of [started, ...talk.events])
    appendFileSync(join(path, 'events.ndjson'), `${JSON.stringify(event)}\n`);
  const side = (sounds: ReadonlyArray<readonly [number, number]>) => {
    const pcm = new Int16Array((60_000 * sampleRate) / 1_000);
    for (const [from, to] of sounds)
      pcm.set(sine(400, sampleRate, ((to - from) * sampleRate) / 1_000), (from * sampleRate) / 1_000);
    return pcm;
  };
  const channels = [side(talk.caller), side(bot)];
  writeFileSync(join(path, 'audio.wav'), encodeWav({ sampleRate, channels, encoding: 'L16' }));
  return path;
}

const early = [
  [2_600, 3_200],
  [31_500, 33_000],
] as const;

let directory: TemporaryFolder;
beforeEach(() => {
  directory = new TemporaryFolder();
});
afterEach(() => directory[Symbol.dispose]());

const figuresIn = async (path: string) => await folderFigures(await readCallFolder(path));

test.each([8_000, 16_000])('the figures of a folder are those of its recording, at %d Hz', async (sampleRate) => {
  expect(await figuresIn(folderOf(directory.path, sampleRate, early))).toMatchObject({
    by: 'sound',
    cutOffs: 1,
    talkOver: { times: 1, ms: 600 },
    hole: { at: TALK_AT + 4_000, ms: 26_000 },
  });
});

test('without a recording, and with one that cannot be read, they are those of the events', async () => {
  const path = folderOf(directory.path, 8_000, early);
  const byEvents = { by: 'events', cutOffs: 0, hole: { at: TALK_AT + 4_000, ms: 1_000 } };
  const folder = await readCallFolder(path);
  writeFileSync(join(path, 'audio.wav'), 'RIFF');
  expect(await figuresIn(path)).toMatchObject(byEvents);
  rmSync(join(path, 'audio.wav'));
  expect(await figuresIn(path)).toMatchObject(byEvents);
  expect(await folderFigures(folder)).toMatchObject(byEvents);
});

test('while the call goes on they are those of the events too', async () => {
  const folder = await readCallFolder(folderOf(directory.path, 8_000, early));
  expect(await folderFigures({ ...folder, isLive: true })).toMatchObject({ by: 'events', cutOffs: 0 });
});

test('a recording that is cut off is read as far as it goes', async () => {
  const path = folderOf(directory.path, 8_000, early);
  const folder = await readCallFolder(path);
  writeFileSync(
    join(path, 'audio.wav'),
    encodeWav({ sampleRate: 8_000, channels: [new Int16Array(8_000), new Int16Array(8_000)], encoding: 'L16' }),
  );
  expect(await folderFigures(folder)).toMatchObject({ by: 'sound', callerSpoke: false, cutOffs: 0 });
});
