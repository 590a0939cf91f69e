import { probeLive } from '../../../../src/bot/services/live/live-probe.js';
import type { LiveModel } from '../../../../src/bot/services/live/realtime-model.js';
import { continuousFarEnd, FAR_ENDS } from './live-stage.js';

const farEnds = { ...FAR_ENDS, continuous: continuousFarEnd };

test.each(Object.entries(farEnds))(
  'a model that opens sessions is well, and one that is refused is not: %s',
  async (_, start) => {
    const { fake, model } = await start();
    await probeLive(model as unknown as LiveModel);
    expect(await fake.sessions[0]?.closed).toBe(1000);
    fake.refuse(401, 'No such key.');
    await expect(probeLive(model as unknown as LiveModel)).rejects.toMatchObject({ isFinal: true });
    await fake[Symbol.asyncDispose]();
  },
);
