import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../../src/base/logger.js';
import type { NumberRouting } from '../../../src/call/number-routing.js';
import type { CarrierCredentials } from '../../../src/providers/carrier.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { restoreOrphans } from '../../../src/runner/numbers/restore-leases.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js';
import { bundledProgram } from '../../e2e/bundled-program.js';
import { WriteCounter } from '../../runner/numbers/write-counter.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';

type Moment = 'before' | 'after';

/**
 * The first number has an application or addresses, the other has nothing. Each moment is tried with one of the two: what it leaves at
 * the carrier, for numbers of all kinds, is in the tests of what is broken off.
 */
const NUMBERS: Array<[number: string, odd: Moment, even: Moment]> = [
  ['+12025550100', 'after', 'before'],
  ['+12025550111', 'before', 'after'],
];
const ACCOUNT = { id: '0123456789abcdef', apiUrl: 'http://127.0.0.1:1/v1' };
const urlsAt = (origin: string) => ({ answerUrl: `${origin}/answer`, hangupUrl: `${origin}/hangup` });

/** What an account keeps of its numbers and applications: by carrier, where that is read. */
const STORES: Readonly<Record<PlayedCarrier['name'], (authId: string) => readonly string[]>> = {
  plivo: (authId) => [`/Account/${authId}/Number/`, `/Account/${authId}/Application/`],
  twilio: (authId) =>
    ['IncomingPhoneNumbers', 'Applications'].map((name) => `/Accounts/${authId}/${name}.json?PageSize=100`),
  telnyx: () => ['phone_numbers', 'texml_applications'].map((name) => `/${name}?page[size]=100`),
};
/** `unchanged`: the number had not been attached yet to the application that was made for it. */
const PUT_BACK = /^(restored|unchanged)$/;
/** When something was last changed, and what an answer is called. */
const OF_EVERY_ANSWER = /"(?:api_id|date_updated|updated_at)":"[^"]*",?/g;

let home: string;
let taker: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-taker-'));
  taker = await bundledProgram(fileURLToPath(new URL('number-taker.ts', import.meta.url)), home, import.meta.url);
}, 60_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  const { name, carrier, account } = played;
  let sandbox: Sandbox;
  let proxy: WriteCounter;
  let credentials: CarrierCredentials;
  let state: string;

  beforeAll(async () => {
    state = mkdtempSync(join(home, 'state-'));
    sandbox = await startSandbox({ ...account, phoneToken: 'phone-token-of-the-tests' });
    const { origin, pathname } = new URL(sandbox.apiUrl);
    proxy = await WriteCounter.start(origin);
    credentials = played.credentials(proxy.url + pathname);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await sandbox.close();
  });

  async function stored(): Promise<string[]> {
    const { authId, authToken } = account;
    const basic = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
    const authorization = name === 'telnyx' ? `Bearer ${authToken}` : basic;
    const read = async (path: string) => {
      const answer = await fetch(sandbox.apiUrl + path, { headers: { authorization } });
      expect(answer.status).toBe(200);
      return (await answer.text()).replace(OF_EVERY_ANSWER, '');
    };
    return Promise.all(STORES[name](authId).map(read));
  }

  /** A process that takes the number is killed at its nth write, before that is carried out or before the answer. */
  async function killed(number: string, nth: number, moment: Moment): Promise<void> {
    const child = spawn(process.execPath, [taker, name, state, number], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: process.env.PATH, CREDENTIALS: JSON.stringify(credentials) },
    });
    const exit = once(child, 'exit');
    proxy.writes = 0;
    proxy.at = (write, when) => {
      const isMoment = write === nth && when === moment;
      if (isMoment) child.kill('SIGKILL');
      return !isMoment;
    };
    expect(await exit).toEqual([null, 'SIGKILL']);
    proxy.at = () => true;
  }

  async function withRouting<T>(use: (routing: NumberRouting) => Promise<T>): Promise<T> {
    const routing = await carrier.createNumberRouting(credentials);
    return use(routing).finally(() => routing.close());
  }

  const restore = () =>
    withRouting((routing) =>
      restoreOrphans({ routing, account: { provider: name, ...ACCOUNT }, journal: new LeaseJournal(state) }),
    );

  /** As the process does, to its end. */
  const life = (number: string) =>
    withRouting(async (routing) => {
      const lease = await NumberLease.take({
        routing,
        account: { provider: name, ...ACCOUNT },
        number,
        urls: urlsAt('http://127.0.0.1:1'),
        journal: new LeaseJournal(state),
        isTaking: false,
        logger: silentLogger,
      });
      await lease.move(urlsAt('http://127.0.0.1:2'));
      return lease.giveBack();
    });

  const entries = () => readdirSync(join(state, 'leases')).filter((file) => file.endsWith('.json'));

  test.each(NUMBERS)(
    '%s: killed %s each odd write and %s each even one, every stored byte is as before',
    async (number, odd, even) => {
      const before = await stored();
      proxy.writes = 0;
      expect(await life(number)).toBe('restored');
      const { writes } = proxy;
      expect(writes).toBeGreaterThanOrEqual(3); // it is set, moved and put back
      expect(await stored()).toEqual(before);
      for (let nth = 1; nth <= writes; nth += 1) {
        await killed(number, nth, nth % 2 === 1 ? odd : even);
        expect([nth, entries().length]).toEqual([nth, 1]);
        // The next run gives it back before it takes it, or a person asks for just that.
        if (nth % 3 === 0) expect(await life(number)).toBe('restored');
        else expect(await restore()).toMatchObject([{ number, outcome: expect.stringMatching(PUT_BACK) }]);
        expect([nth, ...(await stored())]).toEqual([nth, ...before]);
        expect(entries()).toEqual([]);
      }
    },
    120_000,
  );
});
