import { until } from '../e2e/processes.js';
import { inWaves } from '../runner/in-waves.js';
import { CARRIERS, type PlayedCarrier } from './conformance/carriers.js';
import { Rig } from './conformance/rig.js';
import { CALLED, DIALLED, dialled, greeted } from './conformance/story.js';

const CALLS = 100;
/** Requests at the same moment. */
const WAVE = 20;
const PATIENCE_MS = 60_000;

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await Rig.of(played, { callsPerProcess: 25, warm: 4 });
  }, 60_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  const areLive = (calls: number) =>
    until(
      () => rig.sandbox.liveCalls === calls && rig.runner.liveCalls === calls,
      `${calls} calls at once`,
      PATIENCE_MS,
    );

  test('a hundred calls dialled in quick succession are served at once, each with its own data, and all hear the bot', async () => {
    const start = async (n: number) => {
      const to = `+1555200${1_000 + n}`;
      return { n, to, id: await dialled(rig, to, { does: '0', n }) };
    };
    const calls = await inWaves(CALLS, WAVE, start);
    await areLive(CALLS);
    for (const { n, to, id } of calls) {
      expect(await rig.hears(id, 'serves')).toMatchObject({ to, body: { n } });
      expect(await rig.hears(id, 'said')).toMatchObject({ wasHeard: true });
      expect(await rig.over(id)).toEqual({ ...DIALLED, to, endReason: 'bot_ended' });
    }
    await areLive(0);
  }, 120_000);

  test('a hundred callers at once each reach a bot of their own, which they hear and which hears their keys', async () => {
    const callers = await inWaves(CALLS, WAVE, async (n) => {
      const from = `+1555300${1_000 + n}`;
      const { line, id } = await greeted(rig, from);
      await line.hearsTone();
      return { from, line, id };
    });
    expect(new Set(callers.map(({ id }) => id)).size).toBe(CALLS);
    await areLive(CALLS);
    for (const { line } of callers) line.press('1');
    for (const { from, id } of callers) {
      expect(await rig.over(id)).toEqual({ ...CALLED, from, endReason: 'bot_ended' });
      expect(await rig.hears(id, 'key')).toMatchObject({ digit: '1' });
    }
    await areLive(0);
  }, 120_000);
});
