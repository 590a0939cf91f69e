import { CARRIERS } from './conformance/carriers.js';
import { Rig } from './conformance/rig.js';
import { greeted } from './conformance/story.js';

jest.setTimeout(60_000);

/** What the first message of a stream says of its audio. */
const RATES = { plivo: 16_000, telnyx: 16_000, twilio: 8_000 } as const;

test.each(CARRIERS)(
  'at $name, wideband audio is what its streams carry at best: the bot hears and is heard',
  async (played) => {
    await using rig = await Rig.of(played, { isWideband: true });
    const { line, id, wasHeard } = await greeted(rig, '+12025550121');
    expect(wasHeard).toBe(true);
    const start = rig.tap.streams[0]?.said.find((message) => JSON.parse(message).event === 'start');
    expect(start).toMatch(new RegExp(`"sample_?rate":"?${RATES[played.name]}\\b`, 'i'));
    line.press('2');
    expect(await line.hearsKeys('12#')).toBe('12#'); // at any other rate their tones are no keys
    line.press('1');
    expect(await rig.over(id)).toMatchObject({ attempt: 1, endReason: 'bot_ended' });
  },
);
