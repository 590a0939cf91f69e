import type { LiveFake } from './live-stage.js';
import { OtherwiseStage } from './otherwise-stage.js';

const WIRES = ['openai', 'xai', 'google', 'continuous'] as const;
const HOWS = ['killed', 'hung', '429', '503'] as const;
const ANSWER = 'We open at nine tomorrow morning, and close at noon.';
const FAILURES = WIRES.flatMap((wire) => HOWS.map((how) => ({ wire, how })));

async function fail(live: LiveFake, how: (typeof HOWS)[number]): Promise<void> {
  if (how === 'hung') return live.fallSilent();
  if (how !== 'killed') live.refuse(Number(how), 'Overloaded.');
  live.dropConnections();
  if (how === 'killed') await live.close();
}

/** Says what of the answer no message of the bot has. */
const rest = (messages: ReadonlyArray<{ role: string; text: string }>) => {
  const said = messages.filter(({ role }) => role === 'assistant').map(({ text }) => text);
  const words = ANSWER.split(' ');
  let count = words.length;
  while (count > 0 && !said.join(' ').includes(words.slice(0, count).join(' '))) count -= 1;
  return { text: words.slice(count).join(' ') };
};

test.concurrent.each(FAILURES)(
  'the cascade answers for a session that is $how before the first word, with $wire',
  async ({ wire, how }) => {
    const live = { texts: ['When do you open?'], delayMs: 400, replies: { text: ANSWER } };
    await using stage = await OtherwiseStage.on(wire, { live, texts: ['When do you open?'], replies: rest });
    const session = await stage.live.nextSession();
    stage.join();
    stage.speak(800);
    await session.until(() => session.audioMs > 500);
    await fail(stage.live, how);
    await stage.says('noon.');
    expect(stage.told.filter((line) => line.startsWith('bot: '))).toEqual([`bot: ${ANSWER}`]);
    expect(stage.told).toContain('caller: When do you open?');
    expect(stage.hungUp).toBeUndefined();
  },
);

test.concurrent.each(FAILURES)(
  'the cascade goes on with an answer in which a session is $how, with $wire',
  async ({ wire, how }) => {
    const live = { texts: ['When do you open?'], betweenChunksMs: 90, replies: { text: ANSWER } };
    await using stage = await OtherwiseStage.on(wire, { live, texts: [], replies: rest });
    stage.join();
    stage.speak(800);
    await stage.until(() => stage.sounds.length > 40, 'the session speaks');
    await fail(stage.live, how);
    await stage.says('noon.');
    const [request] = stage.model.requests;
    const shown = request?.messages.filter(({ role }) => role === 'assistant').map(({ text }) => text) ?? [];
    expect(stage.model.requests).toHaveLength(1);
    expect(shown.every((text) => ANSWER.startsWith(text))).toBe(true);
    expect(stage.hungUp).toBeUndefined();
  },
);
