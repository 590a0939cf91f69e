import { until } from '../e2e/processes.js';
import { inWaves } from '../runner/in-waves.js';
import { CARRIERS, type PlayedCarrier } from './conformance/carriers.js';
import { Rig } from './conformance/rig.js';
import { CALLED, DIALLED, dialled, greeted } from './conformance/story.js';

/** Requests at the same moment. */
const WAVE = 20;
const PATIENCE_MS = 60_000;
/** Half of a hundred calls. How many calls a runner bears is the same at every carrier, so the others have fewer. */
const MOST = 50;
const FEW = 10;

describe.each(CARRIERS.map((played, n) => ({ played, name: played.name, each: n === 0 ? MOST : FEW })))(
  'at $name, $each and $each at once',
  ({ played, each }: { played: PlayedCarrier; each: number }) => {
    let rig: Rig;

    beforeAll(async () => {
      rig = await Rig.of(played, { callsPerProcess: 25, warm: Math.ceil((2 * each) / 25) });
    }, 60_000);
    afterAll(() => rig[Symbol.asyncDispose]());

    const areLive = (calls: number) =>
      until(
        () => rig.sandbox.liveCalls === calls && rig.runner.liveCalls === calls,
        `${calls} calls at once`,
        PATIENCE_MS,
      );

    test('callers each reach a bot of their own, which they hear and which hears their keys, and those who are dialled in quick succession hear it too, each with its own data', async () => {
      const callers = await inWaves(each, WAVE, async (n) => {
        const from = `+1555300${1_000 + n}`;
        const { line, id } = await greeted(rig, from);
        await line.hasHeardTone();
        return { from, line, id };
      });
      const calls = await inWaves(each, WAVE, async (n) => {
        const to = `+1555200${1_000 + n}`;
        return { n, to, id: await dialled(rig, to, { does: '0', n }) };
      });
      expect(new Set([...callers, ...calls].map(({ id }) => id)).size).toBe(2 * each);
      await areLive(2 * each);
      for (const { n, to, id } of calls) {
        expect(await rig.hears(id, 'serves')).toMatchObject({ to, body: { n } });
        expect(await rig.hears(id, 'said')).toMatchObject({ wasHeard: true });
        expect(await rig.over(id)).toEqual({ ...DIALLED, to, endReason: 'bot_ended' });
      }
      for (const { line } of callers) line.press('1');
      for (const { from, id } of callers) {
        expect(await rig.over(id)).toEqual({ ...CALLED, from, endReason: 'bot_ended' });
        expect(await rig.hears(id, 'key')).toMatchObject({ digit: '1' });
      }
      await areLive(0);
    }, 120_000);
  },
);
