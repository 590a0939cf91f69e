import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../../src/base/logger.js';
import type { NumberRouting, RouteUrls } from '../../../src/call/number-routing.js';
import { createPlivoNumberRouting } from '../../../src/providers/plivo/numbers.js';
import { leaseNameOf } from '../../../src/runner/numbers/lease-entry.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import type { LeaseRequest } from '../../../src/runner/numbers/lease-plan.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { restoreLeases } from '../../../src/runner/numbers/restore-leases.js';
import { FIRST, SHARED, startAccount, tools } from '../../providers/plivo/routed-account.js';
import { AUTH_ID, AUTH_TOKEN } from '../../sandbox/fake-caller.js';

/** What older versions of voicebot have written: see the files for which application had which identifier. */
const FIXTURES = fileURLToPath(new URL('../../fixtures/journals/', import.meta.url));
const ACCOUNT = { provider: 'plivo', id: AUTH_ID, apiUrl: 'https://api.plivo.com/v1' };
const [IN_PLACE] = SHARED;
const urlsAt = (host: string) => ({
  answerUrl: `http://${host}.localhost:9/answer`,
  hangupUrl: `http://${host}.localhost:9/hangup`,
});
const [RUN, KEPT, NEW] = ['run', 'kept', 'new'].map(urlsAt) as [RouteUrls, RouteUrls, RouteUrls];

class OldRun implements AsyncDisposable {
  readonly journal: LeaseJournal;

  private constructor(
    private readonly account: Awaited<ReturnType<typeof startAccount>>,
    private readonly routing: NumberRouting,
    private readonly state: string,
    readonly number: string,
    /** What the account had stored before the number was changed. */
    readonly before: string,
  ) {
    this.journal = new LeaseJournal(state);
  }

  /** An account of which `number` is in the journal as the fixture has it; nothing is changed there yet. */
  static async of(fixture: string, number: string): Promise<OldRun> {
    const account = await startAccount();
    const state = mkdtempSync(join(tmpdir(), 'voicebot-old-'));
    mkdirSync(join(state, 'leases'));
    cpSync(join(FIXTURES, fixture), join(state, 'leases', `${leaseNameOf(ACCOUNT, number)}.json`));
    const credentials = { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: account.apiUrl };
    const routing = await createPlivoNumberRouting(credentials);
    return new OldRun(account, routing, state, number, await account.dump());
  }

  get entry() {
    return this.journal.read(ACCOUNT, this.number);
  }

  get apiUrl(): string {
    return this.account.apiUrl;
  }

  dump(): Promise<string> {
    return this.account.dump();
  }

  /** Where calls to the number go. */
  async answerer(): Promise<string | undefined> {
    return (await this.routing.list()).find(({ number }) => number === this.number)?.webhookUrl;
  }

  /** Gives the number an application, as the run with this lease had done. */
  async attach(leaseId: string, { answerUrl, hangupUrl }: RouteUrls): Promise<void> {
    const { rest } = this.account;
    const name = `voicebot-${this.number.slice(1)}-${leaseId}`;
    const made = await rest.post('Application/', { app_name: name, answer_url: answerUrl, hangup_url: hangupUrl });
    await rest.post(`Number/${this.number.slice(1)}/`, { app_id: made.body.app_id });
  }

  /** Changes the application that the number has. */
  async change(fields: Record<string, string>): Promise<void> {
    await this.account.rest.post(`Application/${this.account.sharedId}/`, fields);
  }

  /** As the run had changed the application that the number has. */
  changeInPlace({ answerUrl, hangupUrl }: RouteUrls): Promise<void> {
    const former = 'http://127.0.0.1:1/shared?line=1&x=%20';
    const addresses = { answer_url: answerUrl, hangup_url: hangupUrl, fallback_answer_url: former };
    return this.change({ ...addresses, answer_method: 'POST', hangup_method: 'POST', fallback_method: 'GET' });
  }

  async deleteShared(): Promise<void> {
    await this.account.rest.delete(`Application/${this.account.sharedId}/`);
  }

  restore(options: { number?: string; isForced?: boolean } = {}) {
    return restoreLeases({
      journal: this.journal,
      routingFor: () => this.routing,
      isLive: async () => false,
      ...options,
    });
  }

  take(changes: Partial<LeaseRequest> = {}): Promise<NumberLease> {
    return NumberLease.take({
      routing: this.routing,
      account: ACCOUNT,
      number: this.number,
      urls: NEW,
      journal: this.journal,
      isTaking: false,
      isLive: async () => false,
      logger: silentLogger,
      ...changes,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.routing.close();
    await this.account[Symbol.asyncDispose]();
    rmSync(this.state, { recursive: true, force: true });
  }
}

test('a number that a run left with an application of its own goes back', async () => {
  await using old = await OldRun.of('plain.json', FIRST);
  await old.attach(old.entry?.leaseId ?? '', RUN);
  expect(await old.restore()).toMatchObject([{ number: FIRST, outcome: 'restored' }]);
  expect(await old.dump()).toBe(old.before);
  expect(old.entry).toBeUndefined();
});

test('a number that a run took from where it is kept goes back there, and then to where it was', async () => {
  await using old = await OldRun.of('below.json', FIRST);
  await old.attach(old.entry?.below?.leaseId ?? '', KEPT);
  await old.attach(old.entry?.leaseId ?? '', RUN);
  expect(await old.restore()).toMatchObject([{ number: FIRST, outcome: 'restored' }]);
  expect(await old.answerer()).toBe(KEPT.answerUrl);
  expect(old.entry).toMatchObject({ isKept: true });
  expect(await old.restore({ number: FIRST, isForced: true })).toMatchObject([{ outcome: 'restored' }]);
  expect(await old.dump()).toBe(old.before);
});

describe('an application that was changed in place', () => {
  test('goes back, for all of its numbers', async () => {
    await using old = await OldRun.of('in-place.json', IN_PLACE);
    await old.changeInPlace(RUN);
    expect(await old.restore()).toMatchObject([{ number: IN_PLACE, outcome: 'restored' }]);
    expect(await old.dump()).toBe(old.before);
    expect(old.entry).toBeUndefined();
  });

  test('goes back before the next run takes the number', async () => {
    await using old = await OldRun.of('in-place.json', IN_PLACE);
    await old.changeInPlace(RUN);
    const next = await old.take();
    expect(next.route).toMatchObject({ heldBy: 'application shared' });
    expect(old.entry?.change.isInPlace).toBeUndefined();
    expect(await old.answerer()).toBe(NEW.answerUrl);
    expect(await next.giveBack()).toBe('restored');
    expect(await old.dump()).toBe(old.before);
  });

  test('goes back also when the number is taken from a run that lives', async () => {
    await using old = await OldRun.of('in-place.json', IN_PLACE);
    await old.changeInPlace(RUN);
    const isLive = async (url: string) => url === RUN.answerUrl;
    await expect(old.take({ isLive })).rejects.toMatchObject({ code: 'VB_NUMBER_HELD' });
    const next = await old.take({ isLive, isTaking: true });
    expect(await next.giveBack()).toBe('restored');
    expect(await old.dump()).toBe(old.before);
  });

  test.each([
    ['an address that somebody else has set stays', { answer_url: 'http://127.0.0.1:9/theirs' }, 'foreign'],
    ['nothing is left to do where it was put back by hand', undefined, 'unchanged'],
  ])('%s', async (_title, theirs, outcome) => {
    await using old = await OldRun.of('in-place.json', IN_PLACE);
    if (theirs) await old.changeInPlace(RUN);
    if (theirs) await old.change(theirs);
    expect(await old.restore()).toMatchObject([{ outcome }]);
    if (theirs) await old.change({ answer_url: 'http://127.0.0.1:1/shared?line=1&x=%20', answer_method: 'GET' });
    expect(await old.dump()).toBe(old.before); // the other addresses
  });

  test('leaves nothing to give back when it is gone', async () => {
    await using old = await OldRun.of('in-place.json', IN_PLACE);
    await old.deleteShared();
    expect(await old.restore()).toMatchObject([{ outcome: 'nothing_to_restore' }]);
  });

  test('is not pointed at an address of an earlier run again', async () => {
    await using old = await OldRun.of('in-place.json', IN_PLACE);
    await old.changeInPlace(RUN);
    const { entry } = old;
    if (!entry) throw new Error('no entry');
    const { answer: _, ...addresses } = (entry.change.before as { addresses: Record<string, object> }).addresses;
    old.journal.replace({
      ...entry,
      change: { ...entry.change, before: { ...(entry.change.before as object), addresses } },
    });
    expect(await old.restore()).toMatchObject([{ outcome: 'nothing_to_restore' }]);
    expect(await old.answerer()).toBe(RUN.answerUrl);
  });

  test('is not changed again: its number cannot be moved', async () => {
    await using old = await OldRun.of('in-place.json', IN_PLACE);
    const { entry } = old;
    if (!entry) throw new Error('no entry');
    await expect(tools.apply({ apiUrl: old.apiUrl }, entry.change)).rejects.toMatchObject({
      code: 'VB_REGISTRATION_FAILED',
      hint: `put it back first: npx voicebot restore ${IN_PLACE} --force`,
    });
    expect(await old.dump()).toBe(old.before);
  });
});

describe('an application that configure-number has changed in place', () => {
  /** A run over it has died, and was given back. */
  async function kept(): Promise<OldRun> {
    const old = await OldRun.of('below-in-place.json', IN_PLACE);
    await old.changeInPlace(RUN);
    expect(await old.restore()).toMatchObject([{ outcome: 'restored' }]);
    expect(await old.answerer()).toBe(KEPT.answerUrl);
    expect(old.entry).toMatchObject({ isKept: true, change: { isInPlace: true } });
    return old;
  }

  test('is as it was before when that is undone', async () => {
    await using old = await kept();
    expect(await old.restore({ number: IN_PLACE, isForced: true })).toMatchObject([{ outcome: 'restored' }]);
    expect(await old.dump()).toBe(old.before);
    expect(old.entry).toBeUndefined();
  });

  test('stays kept while a run has the number, which gives it back to that', async () => {
    await using old = await kept();
    const stored = await old.dump();
    const run = await old.take();
    expect(await old.answerer()).toBe(NEW.answerUrl);
    expect(await run.giveBack()).toBe('restored');
    expect(await old.dump()).toBe(stored);
    expect(await old.restore({ number: IN_PLACE, isForced: true })).toMatchObject([{ outcome: 'restored' }]);
    expect(await old.dump()).toBe(old.before);
  });

  test('goes back when the number is kept elsewhere', async () => {
    await using old = await kept();
    await old.take({ isKept: true });
    expect(await old.answerer()).toBe(NEW.answerUrl);
    expect(await old.restore({ number: IN_PLACE, isForced: true })).toMatchObject([{ outcome: 'restored' }]);
    expect(await old.dump()).toBe(old.before);
    expect(old.entry).toBeUndefined();
  });
});
