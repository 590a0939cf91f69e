import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { createLogger } from '../../../src/base/logger.js';
import { thisProcess } from '../../../src/base/process/process-identity.js';
import type { RouteChange } from '../../../src/call/number-routing.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { restoreOrphans } from '../../../src/runner/numbers/restore-leases.js';
import type { Call, Moment } from './fake-routing.js';
import { ACCOUNT, LeaseRig, NUMBER, OURS, THEIRS, urlsOf } from './lease-rig.js';

const SECRET = 'b3VyIHNlY3JldCBvZiB0aGUgdGVzdHM=';
const NEW = urlsOf('new');
const HELD = { code: 'VB_NUMBER_HELD' };

let rig: LeaseRig;
beforeEach(() => {
  rig = new LeaseRig();
});
afterEach(() => rig[Symbol.dispose]());

const pointsTo = () => rig.routing.urls.get(NUMBER);
const orphans = () =>
  restoreOrphans({ routing: rig.routing, account: ACCOUNT, journal: rig.journal, isLive: rig.isLive });

describe('a lease', () => {
  test('points the number at us, follows our address, and puts everything back', async () => {
    const before = rig.routing.stored;
    const lease = await rig.take({ secret: SECRET });
    expect(rig.routing.calls).toEqual(['plan', 'apply', 'verify']);
    expect(lease.number).toBe(NUMBER);
    expect(lease.route).toMatchObject({ webhookUrl: THEIRS, isOurs: false });
    expect(pointsTo()).toBe(OURS.answerUrl);
    await lease.move(NEW);
    expect(pointsTo()).toBe(NEW.answerUrl);
    expect(lease.change.urls).toEqual([OURS, NEW]);
    expect(rig.entry?.change.urls).toEqual([OURS, NEW]);
    expect(await lease.giveBack()).toBe('restored');
    expect(rig.routing.stored).toBe(before);
    expect(rig.files).toEqual([]);
    expect(await lease.giveBack()).toBe('restored');
    expect(rig.routing.calls.filter((call) => call === 'undo')).toHaveLength(1);
  });

  test('is on the disk, with all that is needed, before anything is changed', async () => {
    let onDisk: unknown;
    rig.routing.at = (call, moment) => {
      if (call === 'apply' && moment === 'before')
        onDisk = { ...rig.entry, isKnown: rig.journal.addresses.has(OURS.answerUrl) };
    };
    await rig.take({ secret: SECRET });
    expect(onDisk).toEqual({
      version: 1,
      leaseId: expect.stringMatching(/^[a-z0-9]{8,32}$/),
      account: ACCOUNT,
      isKept: false,
      pid: process.pid,
      ...(process.platform === 'linux' && { startTime: expect.any(String) }),
      host: hostname(),
      takenAt: expect.any(Number),
      change: expect.objectContaining({ number: NUMBER, secret: SECRET, before: { url: THEIRS } }),
      route: expect.objectContaining({ webhookUrl: THEIRS }),
      isKnown: true,
    });
  });

  test('writes down a new address before the provider is given it', async () => {
    const lease = await rig.take();
    let onDisk: unknown;
    rig.routing.at = (call, moment) => {
      if (call === 'apply' && moment === 'before')
        onDisk = [rig.entry?.change.urls, rig.journal.addresses.has(NEW.answerUrl)];
    };
    await lease.move(NEW);
    expect(onDisk).toEqual([[OURS, NEW], true]);
  });

  test('that moves to and fro does not grow, and knows every address', async () => {
    const lease = await rig.take();
    for (let times = 0; times < 3; times += 1) {
      await lease.move(NEW);
      await lease.move(OURS);
    }
    expect(lease.change.urls).toEqual([NEW, OURS]);
    expect(await lease.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
  });

  test('leaves other numbers alone', async () => {
    const lease = await rig.take();
    const other = await rig.take({ number: '+12025550101', urls: NEW });
    expect(rig.files).toHaveLength(2);
    await lease.giveBack();
    expect(rig.routing.urls.get('+12025550101')).toBe(NEW.answerUrl);
    await other.giveBack();
    expect(rig.routing.urls.get('+12025550101')).toBe('https://other.example/dialin');
  });

  test('is not taken for a number that the account has not', async () => {
    await expect(rig.take({ number: '+12025550999' })).rejects.toMatchObject({ code: 'VB_NUMBER_UNKNOWN' });
    expect(rig.files).toEqual([]);
  });

  test('does not move a number that somebody has changed meanwhile, and leaves it as it is', async () => {
    const lease = await rig.take();
    rig.routing.urls.set(NUMBER, 'https://somebody.example/x?key=hidden');
    await expect(lease.move(NEW)).rejects.toMatchObject({
      code: 'VB_REGISTRATION_FAILED',
      message: expect.stringMatching(/changed \+12025550100: its calls go to https:\/\/somebody.example\/x$/),
    });
    expect(await lease.giveBack()).toBe('foreign');
    expect(pointsTo()).toBe('https://somebody.example/x?key=hidden');
    expect(rig.files).toEqual([]);
  });

  test('that the journal has lost follows our address all the same, is written down again, and goes back', async () => {
    const before = rig.routing.stored;
    const lease = await rig.take({ secret: SECRET });
    rmSync(rig.state, { recursive: true });
    await lease.move(NEW);
    expect(pointsTo()).toBe(NEW.answerUrl);
    expect(rig.entry?.change).toMatchObject({ urls: [OURS, NEW], before: { url: THEIRS } });
    rmSync(rig.state, { recursive: true });
    expect(await lease.giveBack()).toBe('restored');
    expect(rig.routing.stored).toBe(before);
  });

  test('that failed to move goes on, and can be moved again', async () => {
    const lease = await rig.take();
    failAt('apply', 'after');
    await expect(lease.move(NEW)).rejects.toThrow('broken');
    rig.routing.at = () => {};
    await lease.move(NEW);
    expect(pointsTo()).toBe(NEW.answerUrl);
    expect(await lease.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
  });
});

/** From now on this call is an error at this moment. */
function failAt(failing: Call, when: Moment): void {
  rig.routing.at = (call, moment) => {
    if (call === failing && moment === when) throw new Error('broken');
  };
}

describe('when registering fails', () => {
  test.each([
    ['plan', 'before'],
    ['apply', 'before'],
    ['apply', 'after'],
    ['verify', 'before'],
  ] as const)('in %s (%s it has its effect), everything is as it was', async (call, moment) => {
    const before = rig.routing.stored;
    failAt(call, moment);
    await expect(rig.take({ secret: SECRET })).rejects.toThrow('broken');
    expect(rig.routing.stored).toBe(before);
    expect(rig.files).toEqual([]);
  });

  test('because something else is read back, the error says what, and everything is as it was', async () => {
    rig.routing.verify = async () => `${NUMBER} points elsewhere`;
    await expect(rig.take()).rejects.toMatchObject({
      code: 'VB_REGISTRATION_FAILED',
      message: expect.stringContaining('points elsewhere'),
    });
    expect(pointsTo()).toBe(THEIRS);
    expect(rig.files).toEqual([]);
  });

  test('and putting back fails too, the journal keeps it and the error says how to mend that', async () => {
    rig.routing.at = (call, moment) => {
      if ((call === 'verify' || call === 'undo') && moment === 'before') throw new Error(`${call} is broken`);
    };
    await expect(rig.take({ secret: SECRET })).rejects.toMatchObject({
      code: 'VB_RESTORE_FAILED',
      message: expect.stringMatching(/\+12025550100: verify is broken; then undo is broken$/),
      hint: expect.stringContaining('npx voicebot restore'),
    });
    rig.routing.at = () => {};
    expect(await orphans()).toEqual([]); // it is still ours
    rig.disown();
    expect(await orphans()).toMatchObject([{ number: NUMBER, outcome: 'restored' }]);
    expect(pointsTo()).toBe(THEIRS);
  });

  test('because somebody gave up, that does not keep it from being put back', async () => {
    const giveUp = new AbortController();
    rig.routing.at = (call, moment) => {
      if (call !== 'apply' || moment !== 'after') return;
      giveUp.abort(new Error('given up'));
      giveUp.signal.throwIfAborted();
    };
    await expect(rig.take({ signal: giveUp.signal })).rejects.toThrow('given up');
    expect(pointsTo()).toBe(THEIRS);
    expect(rig.files).toEqual([]);
  });

  test('because somebody gave up, what is on its way to the provider arrives before it is undone', async () => {
    const apply = rig.routing.apply.bind(rig.routing);
    const giveUp = new AbortController();
    let sent = Promise.resolve();
    rig.routing.apply = (change: RouteChange, signal?: AbortSignal) => {
      giveUp.abort(new Error('given up'));
      sent = new Promise((resolve) => setTimeout(() => resolve(apply(change)), 100)); // a slow provider
      const broken = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      return Promise.race([sent, broken, ...(signal?.aborted ? [Promise.reject(signal.reason)] : [])]);
    };
    await expect(rig.take({ signal: giveUp.signal })).rejects.toThrow('given up');
    await sent;
    expect(pointsTo()).toBe(THEIRS);
    expect(rig.files).toEqual([]);
  });
});

describe('giving back', () => {
  test('that fails says how to do it later, and can be tried again', async () => {
    const lease = await rig.take({ secret: SECRET });
    failAt('undo', 'before');
    const failure = await lease.giveBack().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'VB_RESTORE_FAILED', hint: expect.stringContaining('npx voicebot restore') });
    expect(`${failure}${JSON.stringify(failure)}`).not.toContain(SECRET);
    expect(rig.files).toHaveLength(1);
    rig.routing.at = () => {};
    expect(await lease.giveBack()).toBe('restored');
    expect(rig.files).toEqual([]);
  });

  test('gives up when it is told to, and keeps the entry', async () => {
    const lease = await rig.take();
    rig.routing.undo = (_change: RouteChange, signal?: AbortSignal) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const giveUp = new AbortController();
    const giving = lease.giveBack(giveUp.signal);
    giveUp.abort(new Error('no time left'));
    await expect(giving).rejects.toMatchObject({
      code: 'VB_RESTORE_FAILED',
      message: expect.stringContaining('no time left'),
    });
    expect(rig.files).toHaveLength(1);
  });

  test('is nothing when `voicebot restore` has done it meanwhile', async () => {
    const lease = await rig.take();
    await rig.routing.undo(lease.change);
    if (rig.entry) rig.journal.settle(rig.entry);
    rig.routing.urls.set(NUMBER, 'https://since.example');
    expect(await lease.giveBack()).toBe('foreign');
    expect(pointsTo()).toBe('https://since.example');
  });
});

describe('a number that a run holds', () => {
  test('is refused to another, which is told who has it', async () => {
    const lease = await rig.take();
    const after = rig.routing.stored;
    await expect(rig.take({ urls: NEW })).rejects.toMatchObject({
      ...HELD,
      message: expect.stringMatching(
        new RegExp(`\\+12025550100, process ${process.pid} on ${hostname()} since \\d{4}-\\d\\d-\\d\\dT`),
      ),
      hint: expect.stringMatching(/--take.*npx voicebot restore/),
    });
    expect(rig.routing.stored).toBe(after);
    expect(await lease.giveBack()).toBe('restored');
  });

  test('can be taken, and what was before the first is what comes back', async () => {
    const first = await rig.take({ secret: SECRET });
    const second = await rig.take({ urls: NEW, isTaking: true });
    expect(pointsTo()).toBe(NEW.answerUrl);
    expect(second.route.webhookUrl).toBe(THEIRS);
    expect(rig.files).toHaveLength(1);
    // Whoever lost it does no harm any more.
    expect(await first.giveBack()).toBe('foreign');
    await expect(first.move(OURS)).rejects.toMatchObject(HELD);
    expect(pointsTo()).toBe(NEW.answerUrl);
    const third = await rig.take({ urls: urlsOf('third'), isTaking: true, secret: 'dGhlIHRoaXJk' });
    expect(await second.giveBack()).toBe('foreign');
    expect(await third.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
    expect(rig.routing.secrets.size).toBe(0);
    expect(rig.files).toEqual([]);
  });

  test('stays with its run when taking it fails', async () => {
    const first = await rig.take();
    rig.routing.at = (call, moment) => {
      if (call !== 'verify' || moment !== 'before') return;
      rig.routing.at = () => {};
      throw new Error('broken');
    };
    await expect(rig.take({ urls: NEW, isTaking: true })).rejects.toThrow('broken');
    expect(pointsTo()).toBe(OURS.answerUrl);
    expect(await first.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
  });

  test('but that somebody has changed since comes back as he has set it', async () => {
    const first = await rig.take();
    rig.routing.urls.set(NUMBER, 'https://since.example');
    const second = await rig.take({ urls: NEW, isTaking: true });
    expect(await first.giveBack()).toBe('foreign');
    expect(await second.giveBack()).toBe('restored');
    expect(pointsTo()).toBe('https://since.example');
  });

  test('is waited for while it is being taken; of two at the same moment one wins', async () => {
    const outcomes = await Promise.allSettled([rig.take(), rig.take({ urls: NEW })]);
    const [won] = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const [lost] = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost?.reason).toMatchObject(HELD);
    expect(pointsTo()).toBe(won?.value.change.urls[0].answerUrl);
    expect(await won?.value.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
  });
});

describe('what a run that is gone has left', () => {
  test('is put back before the number is taken anew', async () => {
    await rig.take();
    rig.disown();
    const lease = await rig.take({ urls: NEW });
    expect(lease.route.webhookUrl).toBe(THEIRS);
    expect(await lease.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
  });

  test('is left by a process whose number another has now', async () => {
    await rig.take();
    rig.disown({ startTime: 'another start' }); // of this very process number
    const taking = rig.take({ urls: NEW });
    if (process.platform === 'linux') expect((await taking).route.webhookUrl).toBe(THEIRS);
    else await expect(taking).rejects.toMatchObject(HELD);
  });

  test('is left by an earlier process that had our number, where the system does not tell when one started', async () => {
    await rig.take();
    rig.disown({ startTime: undefined });
    await expect(rig.take({ urls: NEW })).rejects.toMatchObject(HELD);
    rig.disown({ takenAt: performance.timeOrigin - 1_000 });
    expect((await rig.take({ urls: NEW })).route.webhookUrl).toBe(THEIRS);
  });

  test('is left by a process that cannot be seen from here when its address does not answer', async () => {
    await rig.take();
    rig.disown({ host: 'another-machine' });
    rig.live.add(OURS.answerUrl);
    await expect(rig.take({ urls: NEW })).rejects.toMatchObject(HELD);
    rig.live.clear();
    const lease = await rig.take({ urls: NEW });
    expect(await lease.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
    expect(rig.asked).toEqual([OURS.answerUrl, OURS.answerUrl]);
  });

  test('keeps the number from being taken when it cannot be put back', async () => {
    await rig.take();
    rig.disown();
    failAt('undo', 'before');
    await expect(rig.take({ urls: NEW })).rejects.toThrow('broken');
    expect(pointsTo()).toBe(OURS.answerUrl);
    expect(rig.files).toHaveLength(1);
  });
});

describe('an address of a voicebot that no journal here knows', () => {
  const ELSEWHERE = urlsOf('elsewhere').answerUrl;
  beforeEach(() => rig.routing.urls.set(NUMBER, ELSEWHERE));

  test('is refused when it answers, and comes back when it was taken all the same', async () => {
    rig.live.add(ELSEWHERE);
    await expect(rig.take()).rejects.toMatchObject({
      ...HELD,
      message: expect.stringContaining(`a voicebot elsewhere answers at ${ELSEWHERE}`),
    });
    expect(pointsTo()).toBe(ELSEWHERE);
    expect(rig.files).toEqual([]);
    const lease = await rig.take({ isTaking: true });
    expect(await lease.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(ELSEWHERE);
  });

  test('is told to be of this machine where it is', async () => {
    const here = 'http://127.0.0.1:7861/rooms-dialin-webhook';
    rig.routing.urls.set(NUMBER, here);
    rig.live.add(here);
    const message = expect.stringContaining(`${NUMBER}, something on this machine answers at ${here}`);
    await expect(rig.take()).rejects.toMatchObject({ ...HELD, message });
  });

  test.each([true, false])(
    'is put back although nobody answers us: it may answer the provider (--take: %s)',
    async (isTaking) => {
      const lease = await rig.take({ isTaking });
      for (const url of Object.values(urlsOf('elsewhere'))) expect(rig.routing.target?.isOldAddress(url)).toBe(false);
      expect(await lease.giveBack()).toBe('restored');
      expect(pointsTo()).toBe(ELSEWHERE);
    },
  );

  test.each([true, false])(
    'is never put back when it was ours and nobody answers there (--take: %s)',
    async (isTaking) => {
      rig.journal.addresses.note(urlsOf('elsewhere'));
      const lease = await rig.take({ isTaking });
      for (const url of Object.values(urlsOf('elsewhere'))) expect(rig.routing.target?.isOldAddress(url)).toBe(true);
      expect(rig.routing.target?.isOldAddress(THEIRS)).toBe(false);
      expect(await lease.giveBack()).toBe('nothing_to_restore');
      expect(pointsTo()).not.toBe(ELSEWHERE);
      expect(rig.files).toEqual([]);
    },
  );

  test('is asked also when it was ours once: somebody may serve it now', async () => {
    rig.journal.addresses.note(urlsOf('elsewhere'));
    rig.live.add(ELSEWHERE);
    await expect(rig.take()).rejects.toMatchObject(HELD);
    const lease = await rig.take({ isTaking: true });
    for (const url of Object.values(urlsOf('elsewhere'))) expect(rig.routing.target?.isOldAddress(url)).toBe(false);
    await lease.giveBack();
    expect(pointsTo()).toBe(ELSEWHERE);
  });

  test('is not asked when it is the one that we want: we would answer ourselves', async () => {
    const lease = await rig.take({ urls: urlsOf('elsewhere') });
    expect(rig.asked).toEqual([]);
    expect(await lease.giveBack()).toBe('unchanged');
    expect(pointsTo()).toBe(ELSEWHERE);
  });
});

describe('a lease that another process took for us', () => {
  const held = () => NumberLease.held({ routing: rig.routing, account: ACCOUNT, journal: rig.journal });

  test('is ours to give back, and no orphan while we live', async () => {
    await rig.take({ owner: thisProcess() });
    await rig.take({ number: '+12025550101', urls: NEW, isKept: true });
    expect(await orphans()).toEqual([]);
    const [lease, ...others] = held();
    expect(others).toEqual([]);
    expect(await lease?.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
    expect(held()).toEqual([]);
  });

  test('and one that we took for another is his, and an orphan when he is gone', async () => {
    await rig.take({ owner: { ...thisProcess(), pid: process.ppid, startTime: undefined } });
    expect(held()).toEqual([]);
    expect(await orphans()).toEqual([]);
    rig.disown();
    expect(await orphans()).toMatchObject([{ outcome: 'restored' }]);
  });
});

describe('a number that is kept', () => {
  const KEPT = urlsOf('kept');
  const keep = () => rig.take({ urls: KEPT, isKept: true });

  test('is no orphan when its process has ended', async () => {
    await keep();
    rig.disown();
    expect(await orphans()).toEqual([]);
    expect(pointsTo()).toBe(KEPT.answerUrl);
  });

  test('is taken by a run for a while, which gives it back to where it was kept', async () => {
    const kept = await keep();
    rig.live.add(KEPT.answerUrl);
    const run = await rig.take();
    expect(run.route.webhookUrl).toBe(KEPT.answerUrl);
    for (const url of Object.values(KEPT)) expect(rig.routing.target?.isOldAddress(url)).toBe(false);
    expect(await run.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(KEPT.answerUrl);
    expect(rig.entry).toMatchObject({ isKept: true, leaseId: expect.any(String) });
    expect(await kept.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
    expect(rig.files).toEqual([]);
  });

  test('comes back to where it was kept when that run has died', async () => {
    await keep();
    await rig.take();
    rig.disown();
    expect(await orphans()).toMatchObject([{ number: NUMBER, outcome: 'restored' }]);
    expect(pointsTo()).toBe(KEPT.answerUrl);
    expect(rig.entry?.isKept).toBe(true);
  });

  test('stays kept when a run could not register', async () => {
    await keep();
    failAt('verify', 'before');
    await expect(rig.take()).rejects.toThrow('broken');
    rig.routing.at = () => {};
    expect(pointsTo()).toBe(KEPT.answerUrl);
    expect(rig.entry).toMatchObject({ isKept: true, change: { before: { url: THEIRS } } });
  });

  test("is at an address that stays somebody's: a run that finds it at another number puts it back", async () => {
    const service = { answerUrl: 'https://service.example/calls', hangupUrl: 'https://service.example/calls' };
    await rig.take({ urls: service, isKept: true });
    const other = '+12025550101';
    rig.routing.urls.set(other, service.answerUrl);
    const run = await rig.take({ number: other });
    expect(await run.giveBack()).toBe('restored');
    expect(rig.routing.urls.get(other)).toBe(service.answerUrl);
  });

  test('can be kept elsewhere, and what was before comes back in the end', async () => {
    await keep();
    const second = await rig.take({ urls: NEW, isKept: true });
    expect(pointsTo()).toBe(NEW.answerUrl);
    expect(await second.giveBack()).toBe('restored');
    expect(pointsTo()).toBe(THEIRS);
    expect(rig.files).toEqual([]);
  });
});

describe('a run that is killed at any moment', () => {
  const killedAt: [number, string][] = [];

  /** A whole life: it takes the number, moves, and gives it back; at moment `last` it is killed and does nothing more. */
  async function live(last: number): Promise<string> {
    let count = 0;
    const killed = new Promise<string>((resolve) => {
      rig.routing.at = (call, moment) => {
        count += 1;
        if (count !== last) return undefined;
        resolve(`${call}, ${moment}`);
        return new Promise<never>(() => {});
      };
    });
    const whole = rig.take({ secret: SECRET }).then(async (lease) => {
      await lease.move(NEW);
      await lease.giveBack();
      return 'done';
    });
    return Promise.race([whole, killed]);
  }

  test('leaves what the next one puts back exactly', async () => {
    const before = rig.routing.stored;
    for (let last = 1; ; last += 1) {
      const how = await live(last);
      rig.routing.at = () => {};
      if (how === 'done') break;
      killedAt.push([last, how]);
      rig.disown();
      const restored = await orphans();
      expect(restored.every(({ outcome }) => outcome === 'restored' || outcome === 'unchanged')).toBe(true);
      expect([how, rig.routing.stored]).toEqual([how, before]);
      expect(rig.files.filter((name) => name.endsWith('.json'))).toEqual([]);
    }
    // plan, apply and verify; the same again for moving; undo; each before and after.
    expect(killedAt).toHaveLength(14);
    expect(rig.routing.stored).toBe(before);
  });

  test('does not keep the next one from taking the number at once', async () => {
    const before = rig.routing.stored;
    expect(await live(4)).toBe('apply, after');
    rig.routing.at = () => {};
    rig.disown();
    const lease = await rig.take({ urls: urlsOf('next') });
    await lease.giveBack();
    expect(rig.routing.stored).toBe(before);
  });

  test('after it has taken the number from another run, leaves what was before that one', async () => {
    await rig.take();
    const killed = new Promise<void>((resolve) => {
      rig.routing.at = (call, moment) => {
        if (call !== 'apply' || moment !== 'before') return undefined;
        resolve();
        return new Promise<never>(() => {});
      };
    });
    void rig.take({ urls: NEW, isTaking: true });
    await killed;
    rig.routing.at = () => {};
    expect(pointsTo()).toBe(OURS.answerUrl);
    rig.disown();
    expect(await orphans()).toMatchObject([{ outcome: 'restored' }]);
    expect(pointsTo()).toBe(THEIRS);
  });

  test('while it puts back what another left, leaves the same to the next', async () => {
    const before = rig.routing.stored;
    await rig.take();
    rig.disown();
    const killed = new Promise<void>((resolve) => {
      rig.routing.at = (call, moment) => {
        if (call !== 'undo' || moment !== 'after') return undefined;
        resolve();
        return new Promise<never>(() => {});
      };
    });
    void orphans();
    await killed;
    rig.routing.at = () => {};
    rig.disown();
    expect(await orphans()).toMatchObject([{ outcome: 'unchanged' }]);
    expect(rig.routing.stored).toBe(before);
    expect(rig.files.filter((name) => name.endsWith('.json'))).toEqual([]);
  });
});

test('no secret and no number gets into the log', async () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
  await rig.take({ secret: SECRET, logger });
  rig.disown();
  await rig.take({ secret: SECRET, logger });
  rig.disown();
  failAt('verify', 'before');
  await rig.take({ secret: SECRET, logger }).catch(() => {});
  expect(lines.join('')).toMatch(/left behind was given back.*could not be registered/s);
  expect(lines.join('')).not.toContain(SECRET);
  expect(lines.join('')).not.toContain(NUMBER.slice(1));
});
