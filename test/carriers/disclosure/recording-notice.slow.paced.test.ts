import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeWav } from '../../../src/base/audio/wav.js';
import type { HeardNotice } from '../../../src/call/disclosure.js';
import { findCallFolders } from '../../../src/call/folder/folder-name.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { until } from '../../e2e/processes.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Rig } from '../conformance/rig.js';
import { dialled } from '../conformance/story.js';
import { CALLEE, overRecord, writtenFolder } from './disclosed-call.js';
import { TimedPhone } from './timed-phone.js';

const PATIENCE_MS = 60_000;
const LIMIT_MS = 180_000;

jest.setTimeout(LIMIT_MS);
const botFile = fileURLToPath(new URL('recording-bot.ts', import.meta.url));
const start = () => Rig.of(CARRIERS[0] as PlayedCarrier, { warm: 2, botFile, recording: 'always' });

const tellsNotice = (event: TimelineEvent) => event.type === 'notice_heard' && event.notice === 'recording';

test('nothing is kept before the notice was heard, and everything after it', async () => {
  await using rig = await start();
  await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
  phone.says = (frame) => {
    if (frame === 40) phone.phone.client.press('4');
    return undefined;
  };
  const id = await dialled(rig, CALLEE);
  const { disclosure, recordingNotice } = await overRecord(rig, id);
  expect((recordingNotice as HeardNotice).from).toBeGreaterThan((disclosure as HeardNotice).to);
  const { events, transcript, audio } = await readCallFolder(await writtenFolder(rig, id));
  expect(transcript.map(({ text }) => text)).toEqual(['The secret word is bluebird.']);
  expect(events.filter(({ type }) => type === 'keys')).toEqual([]);
  const { channels, sampleRate } = decodeWav(readFileSync(audio?.path ?? ''));
  const until = (((recordingNotice as HeardNotice).to - (audio?.startedAt ?? 0) - 300) * sampleRate) / 1_000;
  for (const side of channels) expect(side.subarray(0, until).some((sample) => sample !== 0)).toBe(false);
  expect(channels[1]?.some((sample) => Math.abs(sample) > 1_000)).toBe(true);
});

test('a callee who objects by the key: what there is goes at once, and the bot says so', async () => {
  await using rig = await start();
  await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
  const id = await dialled(rig, CALLEE);
  await until(() => rig.noted.some(tellsNotice), 'the notice was heard', PATIENCE_MS);
  await until(
    () => rig.noted.some((one) => one.type === 'said' && one.text.includes('bluebird')),
    'the bot speaks',
    PATIENCE_MS,
  );
  const folder = await folderOf(rig, id);
  await until(() => existsSync(join(folder, 'events.ndjson')), 'something is kept', PATIENCE_MS);
  phone.phone.client.press('9');
  await until(() => existsSync(join(folder, 'removed.json')), 'the recording is removed', PATIENCE_MS);
  const record = await overRecord(rig, id);
  expect(record.recordingRemovedAt).toBeGreaterThan(record.startedAt);
  await writtenFolder(rig, id);
  expect(readdirSync(folder).sort()).toEqual(['call.json', 'removed.json']);
  expect(readFileSync(join(folder, 'call.json'), 'utf8')).not.toContain('bluebird');
  const { missing, transcript, audio } = await readCallFolder(folder);
  expect(missing).toEqual(['The recording was removed, since a party has objected to it.']);
  expect([transcript, audio]).toEqual([[], undefined]);
  expect(rig.told.filter(({ event }) => event === 'key')).toEqual([{ event: 'key', id, digit: '9' }]);
  const live = await (await rig.ask(`/calls/${id}`)).text();
  expect(live).not.toContain('bluebird');
});

async function folderOf(rig: Rig, id: string): Promise<string> {
  const [folder = ''] = await findCallFolders(rig.stateDirectory, id);
  return folder;
}
