import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../src/base/logger.js';
import { fingerprintOf } from '../../src/base/secret.js';
import { asCallId } from '../../src/call/call-id.js';
import { WebhookMemory } from '../../src/runner/calls/carrier/webhook-memory.js';
import { HangupJournal, type ObligationKind } from '../../src/runner/calls/debts/hangup-journal.js';
import { unpackLife } from '../../src/runner/calls/life/portable-life.js';
import { CampaignFiles } from '../../src/runner/campaigns/campaign-files.js';
import { DialledMinutes } from '../../src/runner/dialing/dialled-minutes.js';
import { HandClock } from './events/hand-clock.js';
import { HandReceiver } from './events/hand-receiver.js';
import { HOUR, TellingRunner } from './events/telling-runner.js';

/** A state directory as version 0.1.0 left it when it was killed, on a machine whose name stands as HOST. */
const FIXTURE = fileURLToPath(new URL('../fixtures/journals/state/', import.meta.url));
const NOON = Date.UTC(2026, 10, 26, 12);
const WRITTEN_AT = Date.UTC(2026, 10, 26, 18, 5);
const CALL = 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44';
const ACCOUNT = { carrier: 'plivo', authId: 'MAXXXXXXXXXXXXXXXXXX', apiUrl: 'https://api.plivo.com/v1' };

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'voicebot-old-state-'));
  cpSync(FIXTURE, state, { recursive: true });
  for (const name of readdirSync(state, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue;
    const path = join(state, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"HOST"', JSON.stringify(hostname())));
  }
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(state, { recursive: true });
});

test.each<[ObligationKind, string, string]>([
  ['hangups', 'plivo', CALL],
  ['rooms', 'daily', 'voicebot-0123456789abcdef'],
  ['room-ends', 'daily', 'voicebot-fedcba9876543210'],
])('%s that an older runner left are taken up', (kind, carrier, id) => {
  jest.spyOn(Date, 'now').mockReturnValue(WRITTEN_AT + HOUR); // after a day nothing is owed any more
  const journal = new HangupJournal(state, { ...ACCOUNT, carrier }, kind);
  expect(journal.orphans()).toEqual([id]);
  journal.add(id);
  journal.remove(id);
  expect(new HangupJournal(state, { ...ACCOUNT, carrier }, kind).orphans()).toEqual([]);
});

test('webhooks that an older runner answered are known again', () => {
  const memory = new WebhookMemory(state, silentLogger, () => NOON);
  expect([memory.hasAnswered('nonce-1'), memory.hasEnded(asCallId(CALL))]).toEqual([true, true]);
  expect([memory.hasAnswered('nonce-2'), memory.hasEnded(asCallId('call-2'))]).toEqual([false, false]);
});

test('minutes that an older runner dialled count', () => {
  const now = () => new Date(2026, 10, 26, 13);
  const minutes = new DialledMinutes({ directory: join(state, 'dialled'), perDay: 12, perCall: 1, now });
  expect(minutes.keep()).toMatchObject({ minutes: 12 }); // two of a call that is over, ten of one that was killed
});

test('a campaign of an older runner goes on where it was', async () => {
  const files = new CampaignFiles(state, 'serves');
  const [kept] = await files.take();
  expect(kept?.campaign).toMatchObject({
    id: 'cmp_old',
    perMinute: 30,
    contacts: [{ id: 'one' }, { timeZone: 'America/New_York' }],
  });
  expect(kept?.entries.map(({ is }) => is)).toEqual(['condition', 'placing', 'placed', 'ended']);
  await files.close();
});

test('events that an older runner left are delivered, with the same identifiers', async () => {
  await using receiver = await HandReceiver.listen();
  const folder = join(state, 'events');
  const [receivers = ''] = readdirSync(folder);
  renameSync(join(folder, receivers), join(folder, fingerprintOf(receiver.url))); // the address of this test
  const written = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/evt_[\w-]+/g) ?? []);
  await using told = new TellingRunner({ url: receiver.url, stateDirectory: state, clock: new HandClock(WRITTEN_AT) });
  await told.pass(2 * HOUR);
  const delivered = receiver.accepted.map(({ headers }) => headers['webhook-id']);
  expect(written).toHaveLength(5);
  expect(delivered).toEqual(expect.arrayContaining(written));
  const ends = receiver.accepted.filter(({ event }) => event.type === 'call.ended');
  expect(ends.map(({ event }) => event.data)).toMatchObject([
    { callId: 'call-1', call: { endReason: 'caller_hung_up' } },
    { callId: 'call-2', call: { endReason: 'runner_stopped' } },
  ]);
});

test('a live call of an older runner can be read', () => {
  const { life } = JSON.parse(readFileSync(join(state, 'live-call.json'), 'utf8'));
  const read = unpackLife(life);
  expect(read.life).toMatchObject({ terms: { id: 'call-1', media: 'stream' }, phase: { is: 'talking', bot: 1 } });
  expect(read.timers).toEqual({ length: NOON });
});
