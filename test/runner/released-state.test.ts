import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkStateDirectory } from '../../src/assembly/writable-state.js';
import { fingerprintOf } from '../../src/base/secret.js';
import { type CallFolder, readCallFolder } from '../../src/call/folder/read-call-folder.js';
import { HangupJournal } from '../../src/runner/calls/debts/hangup-journal.js';
import { CallMoves, type MovingDriver } from '../../src/runner/calls/life/call-moves.js';
import { CallRegistry } from '../../src/runner/calls/life/call-registry.js';
import { DayLedger } from '../../src/runner/dialing/day-ledger.js';
import { DoNotCallFile, doNotCallPath } from '../../src/runner/dialing/do-not-call/list-file.js';
import { LeaseJournal } from '../../src/runner/numbers/lease-journal.js';
import { restoreLeases } from '../../src/runner/numbers/restore-leases.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { FIRST, FORMER_URL, startAccount, withRouting } from '../providers/plivo/routed-account.js';
import { CampaignRig } from './campaigns/campaign-rig.js';
import { SERVES } from './campaigns/runner-of-campaigns.js';
import { HandClock } from './events/hand-clock.js';
import { HandReceiver } from './events/hand-receiver.js';
import { HOUR, TellingRunner } from './events/telling-runner.js';

const FIXTURES = join(PACKAGE_ROOT, 'test', 'fixtures');
/** A folder for each version whose state is kept: scripts/state-fixture.mjs has had its runner killed in the middle of its work. */
const VERSIONS = readdirSync(FIXTURES).filter((name) => /^\d+\.\d+\.\d+/.test(name));
const [UNWANTED, BUSY, ANSWERS, RINGS] = ['+12025550199', '+12025550102', '+12025550101', '+12025550103'];

let state: string;
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(state, { recursive: true });
});

const at = (...parts: readonly string[]) => join(state, ...parts);
const namesIn = (...parts: readonly string[]) => readdirSync(at(...parts));
const text = (...parts: readonly string[]) => readFileSync(at(...parts), 'utf8');

/** What a file of JSON holds; the only one of a folder where the path does not name it. */
function json(folder: string) {
  const name = folder.endsWith('.json') ? '' : (namesIn(folder).find((one) => one.endsWith('.json')) ?? '');
  return { name, content: JSON.parse(text(folder, name)) };
}

test('there is a state of a version before this one', () => {
  state = mkdtempSync(join(tmpdir(), 'voicebot-no-state-'));
  expect(VERSIONS).toContain('0.1.0');
});

describe.each(VERSIONS)('the state that %s has left', (version) => {
  /** When something was last written in it, in milliseconds since the Unix epoch. */
  let writtenAt: number;

  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'voicebot-released-state-'));
    cpSync(join(FIXTURES, version), state, { recursive: true });
    for (const name of readdirSync(state, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.json')) writeFileSync(at(name), text(name).replaceAll('"HOST"', JSON.stringify(hostname())));
    writtenAt = json('hangups').content.owedAt;
    // A file that has just been written may be one that a runner elsewhere still writes.
    for (const name of readdirSync(at('calls'), { recursive: true, encoding: 'utf8' }))
      utimesSync(at('calls', name), writtenAt / 1_000, writtenAt / 1_000);
  });

  test('its number is given back', async () => {
    await using account = await startAccount();
    const journal = new LeaseJournal(state);
    const [entry] = journal.entries();
    const [urls] = entry?.change.urls ?? [];
    const name = `voicebot-${FIRST.slice(1)}-${entry?.leaseId}`;
    const { rest } = account;
    const before = await account.dump();
    const addresses = { answer_url: urls?.answerUrl, hangup_url: urls?.hangupUrl };
    const made = await rest.post('Application/', { app_name: name, ...addresses });
    await rest.post(`Number/${FIRST.slice(1)}/`, { app_id: made.body.app_id });
    const answerer = await withRouting(account.apiUrl, async (routing) => {
      const restored = await restoreLeases({ journal, routingFor: () => routing, isLive: async () => false });
      expect(restored).toMatchObject([{ number: FIRST, outcome: 'restored' }]);
      return (await routing.list()).find(({ number }) => number === FIRST)?.webhookUrl;
    });
    expect(answerer).toBe(FORMER_URL);
    expect(await account.dump()).toBe(before);
    expect(journal.entries()).toEqual([]);
  });

  test('the call that is owed its end is taken up', () => {
    jest.spyOn(Date, 'now').mockReturnValue(writtenAt + HOUR);
    const { callId, carrier, authId, apiUrl } = json('hangups').content;
    expect(new HangupJournal(state, { carrier, authId, apiUrl }).orphans()).toEqual([callId]);
  });

  test('its campaign goes on: those who were called are not called again, and the others are', async () => {
    await using rig = await CampaignRig.start('files');
    const { name, content: campaign } = json('campaigns');
    writeFileSync(at('campaigns', name), JSON.stringify({ ...campaign, serves: SERVES }));
    cpSync(at('campaigns'), join(rig.stateDirectory, 'campaigns'), { recursive: true });
    const runner = await rig.runner();
    const results = await runner.over(campaign.id);
    expect(results.map(({ phoneNumber, outcome }) => [phoneNumber, outcome])).toEqual([
      [UNWANTED, 'do_not_call'],
      [BUSY, 'busy'],
      [ANSWERS, 'uncertain'], // was on the line when the runner was killed
      [RINGS, 'bot_ended'],
    ]);
    expect([UNWANTED, BUSY, ANSWERS, RINGS].map((number = '') => runner.phones.timesOf(number))).toEqual([0, 0, 0, 1]);
  });

  test('all events that its application has not accepted are delivered', async () => {
    await using receiver = await HandReceiver.listen();
    const [receivers = ''] = namesIn('events');
    renameSync(at('events', receivers), at('events', fingerprintOf(receiver.url)));
    const files = readdirSync(at('events'), { recursive: true, encoding: 'utf8' }).filter((one) =>
      one.endsWith('.ndjson'),
    );
    const written = files.flatMap((name) => text('events', name).match(/evt_[\w-]+/g) ?? []);
    await using told = new TellingRunner({ url: receiver.url, stateDirectory: state, clock: new HandClock(writtenAt) });
    await told.pass(2 * HOUR);
    const delivered = receiver.accepted.map(({ headers }) => headers['webhook-id']);
    expect(written.length).toBeGreaterThan(5);
    expect(delivered).toEqual(expect.arrayContaining(written));
    expect(receiver.accepted.filter(({ event }) => event.type === 'call.ended')).toHaveLength(files.length);
  });

  test('who was not to be called is not called', () => {
    const list = new DoNotCallFile(doNotCallPath(state, false));
    expect([list.size, list.get(UNWANTED ?? '')?.how]).toEqual([1, 'operator']);
  });

  test.each([
    ['dialled', 'minutes'],
    ['dialled-money', 'micros'],
  ] as const)('what was dialled on its day counts: %s', (folder, field) => {
    const [file = ''] = namesIn(folder);
    const [year = 0, month = 0, day = 0] = file.slice(0, 'yyyy-mm-dd'.length).split('-').map(Number);
    const now = () => new Date(year, month - 1, day, 13);
    const lines = text(folder, file)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const counted: number[] = Object.values(Object.fromEntries(lines.map((line) => [line.id, line[field]])));
    const used = counted.reduce((sum, amount) => sum + amount, 0);
    expect(used).toBeGreaterThan(0);
    const ledgerOf = (perDay: number) => new DayLedger({ directory: at(folder), field, perDay, now });
    expect(ledgerOf(used).keep(1)).toMatchObject({ used });
    expect(ledgerOf(used + 1).keep(1)).toHaveProperty('settle');
  });

  test('its call folders are read: that of a call that was over is whole, of one that was cut off is told what is missing', async () => {
    const folders = await Promise.all(namesIn('calls').map((name) => readCallFolder(at('calls', name))));
    const known = (folder: CallFolder) => [folder.record.to, folder.record.endReason ?? 'cut off'];
    expect(folders.map(known).sort()).toEqual([
      [ANSWERS, 'bot_ended'],
      [ANSWERS, 'cut off'],
      [BUSY, 'busy'],
    ]);
    for (const { missing, record, events, audio } of folders) {
      expect(missing).toEqual(record.endReason === undefined ? [expect.stringContaining('How the call ended')] : []);
      expect(events.length).toBeGreaterThan(5);
      expect(audio !== undefined).toBe(record.to === ANSWERS);
    }
  });

  test('its live call goes on at another runner', async () => {
    const { content } = json('live-call.json');
    const { moved, moves } = movedCalls();
    await moves.unpack(content, true);
    expect(moved).toMatchObject([
      { life: { terms: { id: content.record.id, media: 'stream' } }, record: { to: ANSWERS, state: 'connected' } },
    ]);
  });

  describe('a newer version', () => {
    const newer = (folder: string): string => {
      const { name, content } = json(folder);
      writeFileSync(at(folder, name), JSON.stringify({ ...content, version: 2 }));
      return at(folder, name);
    };

    test.each(['leases', 'hangups', 'campaigns'])(
      'that has written %s is told of before anything is changed',
      (folder) => {
        const path = newer(folder);
        const before = text(folder, json(folder).name);
        const refused = { code: 'VB_STATE_NEWER', message: expect.stringContaining(path), hint: expect.any(String) };
        expect(() => checkStateDirectory(state)).toThrow(expect.objectContaining(refused));
        expect(readFileSync(path, 'utf8')).toBe(before);
      },
    );

    test('is told of with all its files', () => {
      const paths = ['leases', 'campaigns'].map(newer);
      expect(() => checkStateDirectory(state)).toThrow(
        expect.objectContaining({ message: expect.stringContaining(paths.join(', ')) }),
      );
    });

    test('keeps what it has written of a number: it is not put aside as damaged', () => {
      const path = newer('leases');
      const journal = new LeaseJournal(state);
      expect(() => journal.entries()).toThrow(expect.objectContaining({ code: 'VB_STATE_NEWER' }));
      expect([journal.keptAside, readFileSync(path, 'utf8')]).toEqual([[], expect.stringContaining('"version":2')]);
    });

    test('has written a live call that is refused', async () => {
      const { content } = json('live-call.json');
      const { moved, moves } = movedCalls();
      const call = { ...content, life: { ...content.life, version: 2 } };
      await expect(moves.unpack(call, true)).rejects.toMatchObject({ code: 'VB_CLUSTER_UNSUITABLE' });
      expect(moved).toEqual([]);
    });

    test('has written a line of the do-not-call list that is not known: no number is called', () => {
      const path = doNotCallPath(state, false);
      writeFileSync(path, `{"number":"${RINGS}","at":1,"how":"by another way"}\n${readFileSync(path, 'utf8')}`);
      expect(() => new DoNotCallFile(path).get(RINGS ?? '')).toThrow(
        expect.objectContaining({ code: 'VB_DO_NOT_CALL_DAMAGED' }),
      );
    });
  });
});

/** A runner that takes calls over, and what it was given. */
function movedCalls() {
  const moved: object[] = [];
  const supervisor = {
    lifeOf: () => undefined,
    unpack: ({ life }: { life: object }, record: object) => void moved.push({ life, record }),
    happen: () => {},
  };
  const driver = { supervisor, partsOf: () => undefined, restore: async () => {}, forget: () => {} };
  const limits = { slotOf: () => undefined, placeOf: () => undefined, letGo: () => {} };
  const moves = new CallMoves(driver as unknown as MovingDriver, new CallRegistry(), limits as never);
  return { moved, moves };
}
