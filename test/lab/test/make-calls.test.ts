import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { resolveConfig } from '../../../src/config/config.js';
import { makeCalls, type PlannedCall } from '../../../src/lab/test/make-calls.js';
import { scenarioOf } from './results.js';

const callOf = (name: string, before?: string): PlannedCall => ({
  planned: { scenario: scenarioOf({ name, ...(before && { before }) }), wire: 'plivo', runs: 1 },
  no: 1,
});

test('a worker makes another call where that of a prepared scenario would have to wait, also while the stage of the first is opened', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-make-calls-'));
  const environment = { VOICEBOT_HOME: directory };
  const config = await resolveConfig({ flags: {}, environment, directory });
  const options = {
    ...{ config, environment, logger: silentLogger, atOnce: 2 },
    ...{ botFile: join(directory, 'gone.mjs'), scriptUrl: 'http://127.0.0.1:9/' }, // no stage opens, which takes its time
  };
  const order: string[] = [];
  const calls = [callOf('prepared', 'seed'), callOf('prepared too', 'seed'), callOf('not prepared')];
  await makeCalls(
    calls,
    options,
    async ({ planned: { scenario, wire } }, stages) => {
      order.push(scenario.name);
      await expect(stages.use(scenario, wire, async () => {})).rejects.toMatchObject({ code: 'VB_BOT_LOAD_FAILED' });
    },
    new AbortController().signal,
  );
  expect(order).toEqual(['prepared', 'not prepared', 'prepared too']);
  rmSync(directory, { recursive: true });
});
