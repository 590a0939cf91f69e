import { createLogger } from '../../../src/base/logger.js';
import type { LeaseAccount } from '../../../src/runner/numbers/lease-entry.js';
import { restoreLeases, restoreOrphans } from '../../../src/runner/numbers/restore-leases.js';
import { FakeRouting } from './fake-routing.js';
import { ACCOUNT, LeaseRig, NUMBER, THEIRS, urlsOf } from './lease-rig.js';

const OTHER = '+12025550101';
const OTHERS = 'https://other.example/dialin';
const SECOND: LeaseAccount = { ...ACCOUNT, id: 'fedcba9876543210' };
const SECRET = 'b3VyIHNlY3JldCBvZiB0aGUgdGVzdHM=';

let rig: LeaseRig;
let second: FakeRouting;
beforeEach(() => {
  rig = new LeaseRig();
  second = new FakeRouting({ [NUMBER]: 'https://second.example/dialin' });
});
afterEach(() => rig[Symbol.dispose]());

const routingFor = (account: LeaseAccount) => {
  if (account.id === ACCOUNT.id) return rig.routing;
  return account.id === SECOND.id ? second : undefined;
};
const restore = (options: { number?: string; isForced?: boolean } = {}) =>
  restoreLeases({ journal: rig.journal, routingFor, isLive: rig.isLive, ...options });

test('nothing is nothing', async () => {
  expect(await restore()).toEqual([]);
});

test('gives back every number of every account that was left, and says how each was', async () => {
  await rig.take();
  await rig.take({ number: OTHER, urls: urlsOf('b') });
  await rig.take({ routing: second, account: SECOND, urls: urlsOf('c') });
  rig.disown();
  const restored = await restore();
  expect(restored.map(({ number, outcome, route }) => [number, outcome, route.webhookUrl])).toEqual(
    expect.arrayContaining([
      [NUMBER, 'restored', THEIRS],
      [NUMBER, 'restored', 'https://second.example/dialin'],
      [OTHER, 'restored', OTHERS],
    ]),
  );
  expect([rig.routing.urls.get(NUMBER), rig.routing.urls.get(OTHER)]).toEqual([THEIRS, OTHERS]);
  expect(second.urls.get(NUMBER)).toBe('https://second.example/dialin');
  expect(rig.files).toEqual([]);
});

test('a start gives back what is left of its own account only', async () => {
  await rig.take();
  await rig.take({ routing: second, account: SECOND, urls: urlsOf('c') });
  rig.disown();
  const options = { routing: rig.routing, account: ACCOUNT, journal: rig.journal, isLive: rig.isLive };
  expect(await restoreOrphans(options)).toMatchObject([{ provider: 'daily', number: NUMBER, outcome: 'restored' }]);
  expect(second.urls.get(NUMBER)).toBe(urlsOf('c').answerUrl);
  expect(rig.files).toHaveLength(1);
});

test('leaves numbers that a run holds, that are kept, and whose account nobody has', async () => {
  await rig.take();
  await rig.take({ number: OTHER, urls: urlsOf('b'), isKept: true });
  await rig.take({ routing: second, account: { ...SECOND, id: 'nobodys' }, urls: urlsOf('c') });
  const restored = await restore();
  expect(restored.map(({ outcome }) => outcome).sort()).toEqual(['held', 'kept', 'no_account']);
  expect(rig.files).toHaveLength(3);
  expect(rig.routing.calls).not.toContain('undo');
});

test('takes a number from a run, or from where it is kept, only when it is forced to and the number is named', async () => {
  const lease = await rig.take();
  await rig.take({ number: OTHER, urls: urlsOf('b'), isKept: true });
  expect((await restore({ isForced: true })).map(({ outcome }) => outcome)).toEqual(['held', 'kept']);
  expect(await restore({ number: NUMBER })).toMatchObject([{ number: NUMBER, outcome: 'held' }]);
  expect(await restore({ number: NUMBER, isForced: true })).toMatchObject([{ number: NUMBER, outcome: 'restored' }]);
  expect(rig.routing.urls.get(NUMBER)).toBe(THEIRS);
  expect(await restore({ number: OTHER, isForced: true })).toMatchObject([{ number: OTHER, outcome: 'restored' }]);
  expect(rig.routing.urls.get(OTHER)).toBe(OTHERS);
  expect(rig.files).toEqual([]);
  expect(await lease.giveBack()).toBe('unchanged');
});

test('forced, gives back all of a kept number that a run has taken for a while', async () => {
  await rig.take({ urls: urlsOf('kept'), isKept: true });
  await rig.take();
  const restored = await restore({ number: NUMBER, isForced: true });
  expect(restored).toMatchObject([{ outcome: 'restored', route: { webhookUrl: THEIRS } }]);
  expect(rig.routing.urls.get(NUMBER)).toBe(THEIRS);
  expect(rig.files).toEqual([]);
});

test('one that fails stays for the next time, and the others have their turn', async () => {
  await rig.take({ secret: SECRET });
  await rig.take({ routing: second, account: SECOND, urls: urlsOf('c') });
  rig.disown();
  rig.routing.at = () => {
    throw new Error('broken');
  };
  const lines: string[] = [];
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(line) } });
  const restored = await restoreLeases({ journal: rig.journal, routingFor, isLive: rig.isLive, logger });
  expect(restored.find(({ outcome }) => outcome === 'failed')).toMatchObject({ number: NUMBER, problem: 'broken' });
  expect(restored.find(({ outcome }) => outcome === 'restored')).toMatchObject({ number: NUMBER });
  expect(JSON.stringify(restored) + lines.join()).not.toContain(SECRET);
  expect(lines.join()).not.toContain(NUMBER.slice(1));
  expect(rig.files).toHaveLength(1);
  rig.routing.at = () => {};
  expect(await restore()).toMatchObject([{ outcome: 'restored' }]);
});

test('two at once undo each number once', async () => {
  await rig.take();
  rig.disown();
  const outcomes = (await Promise.all([restore(), restore(), restore()])).flat();
  expect(outcomes).toMatchObject([{ outcome: 'restored' }]);
  expect(rig.routing.calls.filter((call) => call === 'undo')).toHaveLength(1);
});
