import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallRecord } from '../../../../src/call/call-record.js';
import { readCallFolder } from '../../../../src/call/folder/read-call-folder.js';
import type { TimelineEvent } from '../../../../src/call/timeline.js';
import { CallFolders, recordingBy } from '../../../../src/runner/calls/life/call-folders.js';
import { CallRegistry } from '../../../../src/runner/calls/life/call-registry.js';
import { TemporaryFolder } from '../../../call/folder/recorded-line.js';
import { until } from '../../../e2e/processes.js';

const CALL = {
  id: 'call-1',
  direction: 'inbound',
  from: '+12025550199',
  to: '+12025550100',
  state: 'ringing',
} as const;

let home: TemporaryFolder;
let registry: CallRegistry;
let warnings: string[];
let opened: CallFolders[];

beforeEach(() => {
  home = new TemporaryFolder();
  registry = new CallRegistry();
  warnings = [];
  opened = [];
});

/** The thread of the disk would otherwise write to a folder that is being removed. */
afterEach(async () => {
  await Promise.all(opened.map((folders) => folders.close()));
  home[Symbol.dispose]();
});

type Options = ConstructorParameters<typeof CallFolders>[0];

function open(recording: Options['recording'], stateDirectory = home.path, more: Partial<Options> = {}) {
  const folders = new CallFolders({
    recording,
    stateDirectory,
    registry,
    ...more,
    wish: () => ({ maskDigits: true }),
    warn: (message) => warnings.push(message),
  });
  opened.push(folders);
  return folders;
}
const names = () => (existsSync(join(home.path, 'calls')) ? readdirSync(join(home.path, 'calls')) : []);
const fileIsThere = (name: string) => names().some((folder) => existsSync(join(home.path, 'calls', folder, name)));
const folder = () => readCallFolder(join(home.path, 'calls', names()[0] as string));
const fileOf = (name: string) => readFileSync(join(home.path, 'calls', names()[0] as string, name), 'utf8');

test('the record as it changes, the events of the runner, and where the bots record', async () => {
  const folders = open('always');
  registry.open(CALL);
  const order = registry.recordingOf(CALL.id);
  registry.timelines.note(CALL.id, { type: 'output', line: 'from the bot' });
  registry.timelines.receive(CALL.id, [{ at: 1, source: 'bot', bot: 1, type: 'caller_joined' }]); // which writes it itself
  registry.update(CALL.id, { state: 'connected' });
  await until(() => fileIsThere('call.json') && fileOf('call.json').includes('connected'), 'it is written');
  expect(JSON.parse(fileOf('call.json'))).toMatchObject({
    version: 1,
    state: 'connected',
    runner: { pid: process.pid },
  });
  expect(await folder()).toMatchObject({ isLive: true, missing: [] });
  registry.end(CALL.id, 'caller_hung_up');
  await folders.close();
  const { record, events, isLive, missing } = await folder();
  expect({ record, isLive, missing }).toEqual({ record: registry.get(CALL.id), isLive: false, missing: [] });
  expect(events.map(({ type }) => type)).toEqual(['record', 'output', 'record', 'record']);
  expect(JSON.parse(fileOf('call.json'))).not.toHaveProperty('runner');
  expect(order).toEqual({ folder: (await folder()).path, startedAt: expect.any(Number), maskDigits: true });
  expect(registry.recordingOf(CALL.id)).toBeUndefined();
});

test('the record of a call that is over has what was said last, unless that was not to be kept', async () => {
  const folders = open('always');
  registry.open(CALL);
  const said = (at: number, text: string, unkept?: true) =>
    ({ at, source: 'bot', bot: 1, type: 'said', speaker: 'caller', text, ...(unkept && { unkept }) }) as TimelineEvent;
  registry.timelines.receive(CALL.id, [said(1, 'Two loaves, please.'), said(2, 'My card has the number 4111.', true)]);
  registry.end(CALL.id, 'caller_hung_up');
  await folders.close();
  const { summary } = JSON.parse(fileOf('call.json'));
  expect(summary).toEqual({ lastWords: { speaker: 'caller', text: 'Two loaves, please.' } });
  expect((await folder()).record).toEqual(registry.get(CALL.id));
});

test('tells when the folder of a call has everything, and at once for a call that has none', async () => {
  const folders = open('always');
  await folders.written('call-2');
  registry.open(CALL);
  const written = folders.written(CALL.id).then(() => JSON.parse(fileOf('transcript.json')));
  registry.end(CALL.id, 'caller_hung_up');
  expect(await written).toMatchObject({ entries: [] });
  await folders.written(CALL.id);
});

test('every bot of a call records from the same moment on', () => {
  open('always');
  registry.open(CALL);
  expect(registry.recordingOf(CALL.id)).toEqual(registry.recordingOf(CALL.id));
  expect(registry.recordingOf('another')).toBeUndefined();
});

test('what a killed bot has told the runner and not written is added, and its transcript made', async () => {
  const folders = open('always');
  registry.open(CALL);
  const said = (at: number, text: string): TimelineEvent => ({
    at,
    source: 'bot',
    bot: 1,
    type: 'said',
    speaker: 'caller',
    text,
  });
  const now = Date.now();
  registry.timelines.note(CALL.id, { type: 'bot_assigned', bot: 1 });
  await until(() => names().length > 0, 'the folder is there');
  const path = join(home.path, 'calls', names()[0] as string, 'events.ndjson');
  writeFileSync(path, `${JSON.stringify(said(now, 'written'))}\n{"at":`, { flag: 'a' }); // by the bot, which is killed
  registry.timelines.receive(CALL.id, [said(now, 'written'), said(now + 1, 'told')]);
  registry.timelines.note(CALL.id, { type: 'bot_done', bot: 1, outcome: 'lost' });
  registry.end(CALL.id, 'bot_crashed');
  await folders.close();
  const { events, transcript, missing } = await folder();
  expect(events.flatMap((event) => (event.type === 'said' ? [event.text] : []))).toEqual(['written', 'told']);
  expect(transcript).toMatchObject([{ text: 'written told' }]);
  expect(missing).toEqual([expect.stringMatching(/^1 of \d+ lines of events.ndjson cannot be read/)]);
});

test('a folder is complete when its last bot is done, which may be after the end of the call', async () => {
  const folders = open('always');
  registry.open(CALL);
  registry.timelines.note(CALL.id, { type: 'bot_assigned', bot: 1 });
  registry.end(CALL.id, 'caller_hung_up');
  registry.timelines.note(CALL.id, { type: 'output', line: 'saving the order' });
  registry.timelines.note(CALL.id, { type: 'bot_done', bot: 1, outcome: 'returned' });
  await folders.close();
  expect((await folder()).events.map(({ type }) => type)).toContain('bot_done');
});

test('a disk that takes nothing is warned of once for each call', async () => {
  writeFileSync(join(home.path, 'file'), '');
  const folders = open('always', join(home.path, 'file'));
  for (const id of ['a', 'b']) {
    registry.open({ ...CALL, id });
    registry.timelines.receive(id, [
      { at: 1, source: 'bot', bot: 1, type: 'recording', is: 'failed', reason: 'ENOTDIR' },
    ]);
    registry.update(id, { state: 'connected' });
    registry.end(id, 'caller_hung_up');
  }
  await folders.close();
  expect(warnings).toEqual(Array(2).fill('the call is not recorded any more: ENOTDIR'));
});

test('a bot that cannot record keeps neither how its call ended nor what the runner notes from the disk', async () => {
  const folders = open('always');
  registry.open(CALL);
  registry.timelines.receive(CALL.id, [
    { at: 1, source: 'bot', bot: 1, type: 'recording', is: 'failed', reason: 'the disk is too slow' },
  ]);
  registry.update(CALL.id, { state: 'connected' });
  registry.timelines.note(CALL.id, { type: 'output', line: 'noted' });
  registry.end(CALL.id, 'caller_hung_up');
  await folders.close();
  const { record, events } = await folder();
  expect(record).toEqual(registry.get(CALL.id));
  expect(events.map(({ type }) => type)).toEqual(['record', 'record', 'output', 'record']);
  expect(warnings).toEqual(['the call is not recorded any more: the disk is too slow']);
});

test('calls that are not recorded leave nothing', async () => {
  const folders = open('never');
  registry.open(CALL);
  registry.end(CALL.id, 'caller_hung_up');
  await folders.close();
  expect(readdirSync(home.path)).toEqual([]);
});

test.each([
  ['always', undefined, {}],
  ['always', false, {}],
  ['always', { maskDigits: true }, { maskDigits: true }],
  ['never', true, undefined],
  ['unless_refused', undefined, {}],
  ['unless_refused', false, undefined],
  ['unless_refused', { maskDigits: true }, { maskDigits: true }],
  ['if_asked', undefined, undefined],
  ['if_asked', true, {}],
  ['if_asked', { maskDigits: true }, { maskDigits: true }],
] as const)('%s, and the bot says %j: %j', (rule, wish, how) => {
  expect(recordingBy(rule, wish)).toEqual(how);
});

test('a call that was over before is not opened again', async () => {
  const folders = open('always');
  const ended: CallRecord = { ...CALL, state: 'ended', attempt: 1, startedAt: 1, endedAt: 2, endReason: 'busy' };
  registry.timelines.note(CALL.id, { type: 'record', record: ended });
  await folders.close();
  expect(readdirSync(home.path)).toEqual([]);
});

test('a bot that has died in the middle of a removal: the rest goes at once, and nothing more is recorded', async () => {
  const folders = open('always');
  registry.open(CALL);
  const path = registry.recordingOf(CALL.id)?.folder as string;
  registry.timelines.note(CALL.id, { type: 'bot_assigned', bot: 1 });
  await until(() => fileIsThere('call.json') && fileIsThere('events.ndjson'), 'the folder is there');
  const said = { at: 1, source: 'bot', bot: 1, type: 'said', speaker: 'caller', text: 'My name is Ada.' } as const;
  registry.timelines.receive(CALL.id, [said]);
  writeFileSync(join(path, 'audio.wav'), 'sound');
  writeFileSync(join(path, 'removed.json'), '{}');
  registry.timelines.note(CALL.id, { type: 'bot_done', bot: 1, outcome: 'lost' });
  await until(() => !fileIsThere('audio.wav') && !fileIsThere('events.ndjson'), 'what there was is gone', 5_000);
  expect(registry.get(CALL.id)?.recordingRemovedAt).toBeGreaterThan(0);
  expect(registry.recordingOf(CALL.id)).toBeUndefined();
  expect(JSON.stringify(registry.timelines.of(CALL.id))).not.toContain('Ada');
  expect(registry.timelines.of(CALL.id).filter(({ type }) => type === 'recording')).toMatchObject([{ is: 'removed' }]);
  registry.end(CALL.id, 'caller_hung_up');
  await folders.close();
  expect(readdirSync(path).sort()).toEqual(['call.json', 'removed.json']);
});

describe('a recording that is removed when its call is over', () => {
  const LEG = { ...CALL, id: 'leg-1', direction: 'outbound', linkedTo: 'call-1' } as const;
  const pathOf = (id: string) => join(home.path, 'calls', names().find((name) => name.endsWith(id)) as string);
  const recordOf = (id: string) => JSON.parse(readFileSync(join(pathOf(id), 'call.json'), 'utf8'));
  const said = { at: 1, source: 'bot', bot: 1, type: 'said', speaker: 'caller', text: 'My name is Ada.' } as const;

  /** A call and one beside it, which is over, with all that was kept of it. */
  async function withLegThatIsOver(more?: Partial<Options>) {
    const folders = open('always', home.path, more);
    await folders.start();
    registry.open(CALL);
    registry.open(LEG);
    registry.timelines.receive(LEG.id, [said]);
    registry.end(LEG.id, 'caller_hung_up');
    await folders.written(LEG.id);
    writeFileSync(join(pathOf(LEG.id), 'audio.wav'), 'sound');
    expect(recordOf(LEG.id)).toMatchObject({ state: 'ended', summary: { lastWords: { text: 'My name is Ada.' } } });
    return folders;
  }

  test('an objection in the other call removes it, and its record says so', async () => {
    const folders = await withLegThatIsOver();
    registry.removeRecordings([CALL.id]);
    await folders.close();
    expect(readdirSync(pathOf(LEG.id)).sort()).toEqual(['call.json', 'removed.json']);
    const { recordingRemovedAt } = registry.get(LEG.id) as CallRecord;
    expect(recordOf(LEG.id)).toMatchObject({ state: 'ended', recordingRemovedAt });
    expect(recordOf(LEG.id)).not.toHaveProperty('summary');
    expect(existsSync(join(pathOf(CALL.id), 'removed.json'))).toBe(true);
  });

  test('one of a call that another runner has now, with that of one which was dialled beside it here', async () => {
    const folders = await withLegThatIsOver();
    registry.timelines.receive(CALL.id, [said]);
    registry.release(CALL.id);
    registry.removeRecordings([CALL.id]);
    await folders.close();
    for (const id of [CALL.id, LEG.id]) {
      expect(recordOf(id)).toMatchObject({ recordingRemovedAt: expect.any(Number) });
      expect(recordOf(id)).not.toHaveProperty('summary');
      expect(readdirSync(pathOf(id))).not.toContain('audio.wav');
    }
  });

  test('the other runners are told of all of them, and what they tell is removed here', async () => {
    const told: string[] = [];
    let tell: (ids: readonly string[]) => void = () => {};
    const shareRemovals: Options['shareRemovals'] = (removed) => {
      tell = removed as typeof tell;
      return { tell: (ids) => void told.push(...ids), heard: Promise.resolve(), close: async () => {} };
    };
    const folders = await withLegThatIsOver({ shareRemovals });
    tell([LEG.id]);
    await folders.close();
    expect(told.toSorted()).toEqual([CALL.id, LEG.id]);
    expect(readdirSync(pathOf(LEG.id)).sort()).toEqual(['call.json', 'removed.json']);
    expect(registry.recordingOf(CALL.id)).toBeUndefined();
  });

  test('what processes that have died have removed, the next runner tells the others', async () => {
    const folders = await withLegThatIsOver();
    await folders.close();
    writeFileSync(join(pathOf(LEG.id), 'removed.json'), '{}');
    registry = new CallRegistry();
    const told: (readonly string[])[] = [];
    const shareRemovals: Options['shareRemovals'] = () => ({
      tell: (ids) => void told.push(ids),
      heard: Promise.resolve(),
      close: async () => {},
    });
    const next = open('always', home.path, { shareRemovals });
    await next.start();
    await until(() => told.some((ids) => ids.includes(CALL.id)), 'the other call too');
    await until(() => !existsSync(join(pathOf(LEG.id), 'audio.wav')), 'the rest goes');
    await until(() => recordOf(CALL.id).recordingRemovedAt !== undefined, 'its record says so');
    for (let change = 1; change <= 5; change += 1) await next.close(); // each waits for what is being changed
    expect(told).toEqual([[LEG.id], [LEG.id, CALL.id]]); // each link is found once, from whichever end
  });

  test('a call that goes on at this runner, and whose folder says that it was removed, is not recorded', async () => {
    const folders = open('always');
    registry.open(CALL);
    const record = registry.get(CALL.id) as CallRecord;
    registry.release(CALL.id);
    await folders.written(CALL.id);
    writeFileSync(join(pathOf(CALL.id), 'removed.json'), '{}');
    registry.adopt(record);
    expect(registry.recordingOf(CALL.id)).toBeUndefined();
    await until(() => registry.get(CALL.id)?.recordingRemovedAt !== undefined, 'its record says so');
  });

  test('nor one whose folder is that of the day before, which the next runner goes on with', async () => {
    await open('always').close();
    const before = join(home.path, 'calls', `2026-01-31-${CALL.id}`);
    mkdirSync(before, { recursive: true });
    writeFileSync(join(before, 'removed.json'), '{}');
    registry = new CallRegistry();
    const removed: unknown[] = [];
    registry.on('recordings_removed', (ids) => removed.push(...ids));
    const next = open('always');
    await next.start();
    await until(() => removed.length > 0, 'the folders are looked at');
    registry.open(CALL, 2);
    expect(registry.recordingOf(CALL.id)).toBeUndefined();
    await until(() => registry.get(CALL.id)?.recordingRemovedAt !== undefined, 'its record says so');
  });
});

test('what is learnt of a call when its folder has everything stands in its record', async () => {
  const folders = open('always');
  registry.open(CALL);
  registry.end(CALL.id, 'caller_hung_up');
  await folders.written(CALL.id);
  registry.amend(CALL.id, { doNotCall: { how: 'said', at: 5 } });
  await folders.close();
  expect(JSON.parse(fileOf('call.json'))).toMatchObject({ state: 'ended', doNotCall: { how: 'said', at: 5 } });
  expect((await folder()).record).toEqual(registry.get(CALL.id));
});
