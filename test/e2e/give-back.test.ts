import { AccountRuns } from './account-runs.js';
import { callAndGiveBack, WAYS } from './give-back.js';

let runs: AccountRuns;

beforeAll(async () => {
  runs = await AccountRuns.open();
}, 30_000);

afterAll(() => runs[Symbol.asyncDispose](), 30_000);

test.each([WAYS.ownApplication, WAYS.ownSettings])(
  '$transport, $how: run, call, Ctrl-C, and every byte is as before',
  (way) => callAndGiveBack(runs, way),
  60_000,
);
