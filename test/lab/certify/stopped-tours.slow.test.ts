import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TOUR_STEPS } from '../../../src/lab/certify/tour/tour-steps.js';
import { Accounts, SHARED_NUMBER } from '../../e2e/accounts.js';
import { type CliEvent, Voicebot } from '../../e2e/voicebot.js';
import { CALLER, FakeCaller } from '../../sandbox/fake-caller.js';

const COLLEAGUE = '+12025550143';
const NOT_ASSIGNED = '+12025550110';
const READY_MS = 60_000;

let accounts: Accounts;
let before: readonly string[];

beforeAll(async () => {
  accounts = await Accounts.open();
  before = await accounts.stored();
}, 30_000);
afterAll(() => accounts[Symbol.asyncDispose]());

/** Where each step is when the signal comes: in its call, as far as it has one. */
const REACHED: Readonly<Record<string, (tour: Voicebot) => Promise<unknown>>> = {
  number: (tour) => tour.event('tour', {}, READY_MS),
  'call-out': (tour) => inState(tour, 'connected'),
  'call-out-declined': (tour) => inState(tour, 'dialling'),
  'call-out-unanswered': (tour) => inState(tour, 'dialling'),
  'call-out-wrong': (tour) => tour.event('step', { step: 'call-out-wrong' }, READY_MS),
};

const inState = (tour: Voicebot, state: string): Promise<CliEvent> =>
  tour.events.next(({ event, call }) => event === 'call' && call.state === state, READY_MS);

/** Does what the tour asks a person for, as far as a call goes. */
async function playPerson(tour: Voicebot): Promise<FakeCaller | undefined> {
  const asked = await tour.event('please', {}, READY_MS);
  if (asked.do === 'call') return await accounts.call(SHARED_NUMBER);
  return await FakeCaller.attending(accounts.sandbox, asked.number);
}

describe.each([
  ['Ctrl+C', 'SIGINT', 130],
  ['a crash and `voicebot restore`', 'SIGKILL', null],
] as const)('after %s', (_title, signal, exitCode) => {
  test.each(['number', ...TOUR_STEPS.map(({ name }) => name)])(
    'in the step %s the number is as before',
    async (step) => {
      const output = join(accounts.home, `${step}-${signal}`);
      const only = step === 'number' ? 'call-in' : step;
      const numbers = ['--my-number', CALLER, '--colleague', COLLEAGUE, '--wrong-number', NOT_ASSIGNED];
      const environment = accounts.environment(SHARED_NUMBER);
      const options = { home: accounts.home, cwd: accounts.home, environment: { ...environment, CARRIER: 'plivo' } };
      const args = ['certify', '--yes', '--port', '0', '--only', only, '--output', output, ...numbers];
      const tour = new Voicebot(args, options);
      const hasPhone = !['number', 'call-out-wrong'].includes(step);
      let phone: FakeCaller | undefined;
      try {
        phone = hasPhone ? await playPerson(tour) : undefined;
        await (REACHED[step] ?? ((one) => inState(one, 'connected')))(tour);
        process.kill(tour.pid, signal);
        // Before the run of the tour listens to signals, the system ends the process, for which shells say 130, too.
        expect([exitCode, ...(step === 'number' ? [null] : [])]).toContain(await tour.exit);
        if (signal === 'SIGKILL') {
          const restoring = new Voicebot(['restore'], options);
          expect(await restoring.exit).toBe(0);
        }
        expect(await accounts.stored()).toEqual(before);
        const leases = join(accounts.home, 'leases');
        const held = existsSync(leases) ? readdirSync(leases).filter((name) => name.endsWith('.json')) : [];
        expect(held).toEqual([]);
        expect(step === 'number' || existsSync(join(output, 'steps.json'))).toBe(true); // the signal may come before it is begun
      } finally {
        await tour[Symbol.asyncDispose]();
        await phone?.[Symbol.asyncDispose]();
      }
    },
    120_000,
  );
});
