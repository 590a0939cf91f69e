import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CarrierCredentials } from '../../../src/providers/carrier.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { restoreOrphans } from '../../../src/runner/numbers/restore-leases.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js';
import { bundledProgram } from '../../e2e/bundled-program.js';
import { WriteCounter } from '../../runner/numbers/write-counter.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';

/** The first number has an application or addresses, the other has nothing. */
const NUMBERS = ['+12025550100', '+12025550111'];
const ACCOUNT = { id: '0123456789abcdef', apiUrl: 'http://127.0.0.1:1/v1' };

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

  beforeEach(async () => {
    state = mkdtempSync(join(home, 'state-'));
    sandbox = await startSandbox({ ...account, phoneToken: 'phone-token-of-the-tests' });
    const { origin, pathname } = new URL(sandbox.apiUrl);
    proxy = await WriteCounter.start(origin);
    credentials = played.credentials(proxy.url + pathname);
  });
  afterEach(async () => {
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

  /** @param at as of {@link WriteCounter}; the process is killed where it returns false */
  async function life(number: string, at: WriteCounter['at'] = () => true): Promise<string> {
    const child = spawn(process.execPath, [taker, name, state, number], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, CREDENTIALS: JSON.stringify(credentials) },
    });
    proxy.writes = 0;
    proxy.at = (write, moment) => {
      const goesOn = at(write, moment);
      if (!goesOn) child.kill('SIGKILL');
      return goesOn;
    };
    const exit = once(child, 'exit');
    const said = Buffer.concat(await child.stdout.toArray()).toString();
    await exit;
    proxy.at = () => true;
    return said.trim();
  }

  async function restore() {
    const routing = await carrier.createNumberRouting(credentials);
    try {
      return await restoreOrphans({
        routing,
        account: { provider: name, ...ACCOUNT },
        journal: new LeaseJournal(state),
      });
    } finally {
      await routing.close();
    }
  }

  const entries = () => readdirSync(join(state, 'leases')).filter((file) => file.endsWith('.json'));

  test.each(NUMBERS)(
    '%s: killed at every write, before and after it, every stored byte is as before',
    async (number) => {
      const before = await stored();
      expect(await life(number)).toBe('restored');
      const { writes } = proxy;
      expect(writes).toBeGreaterThanOrEqual(3); // it is set, moved and put back
      expect(await stored()).toEqual(before);
      for (let nth = 1; nth <= writes; nth += 1) {
        for (const when of ['before', 'after'] as const) {
          await life(number, (write, moment) => write !== nth || moment !== when);
          expect([nth, when, entries().length]).toEqual([nth, when, 1]);
          // The next run gives it back before it takes it, or somebody asks for just that.
          if (nth % 2 === 0)
            expect(await restore()).toMatchObject([{ number, outcome: expect.stringMatching(PUT_BACK) }]);
          else expect(await life(number)).toBe('restored');
          expect([nth, when, ...(await stored())]).toEqual([nth, when, ...before]);
          expect(entries()).toEqual([]);
        }
      }
    },
    120_000,
  );
});
