import { type AccountRuns, openAccountRuns } from './account-runs.js';
import { callAndGiveBack, WAYS } from './give-back.js';

let runs: AccountRuns;

openAccountRuns((opened) => {
  runs = opened;
});

test.each([WAYS.ownApplication, WAYS.ownSettings])(
  '$transport, $how: run, call, Ctrl-C, and every byte is as before',
  (way) => callAndGiveBack(runs, way),
  60_000,
);
