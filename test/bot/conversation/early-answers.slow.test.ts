import { defineTool } from '../../../src/bot/conversation/tool.js';
import { setUpEarlyStage } from './early-stage.js';

/** How many early answers are asked for, at least; the model is also asked after functions. */
const LEAST_ASKED = 1_000;
const REQUESTS = 1.5 * LEAST_ASKED;
/** Longest pause within a turn of the caller's, in milliseconds: the bot waits for longer than that. */
const LONGEST_PAUSE_MS = 700;
const LIMIT_MS = 240_000;

afterEach(() => {
  jest.useRealTimers();
});

/** Numbers from 0 to 1, the same each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test(
  'of a thousand early answers with random interruptions none is heard, shown, noted or acted on that is overtaken',
  async () => {
    const random = randomNumbers(38);
    const upTo = (most: number) => Math.floor(random() * most);
    const acted: string[] = [];
    const act = defineTool({
      name: 'act',
      description: 'Acts.',
      parameters: { type: 'object', properties: { said: { type: 'string' } } },
      execute: (input) => {
        acted.push((input as { said: string }).said);
        return 'ok';
      },
    });
    const stage = await setUpEarlyStage(
      (said) => (said.includes('act') ? { calls: ['act'] } : { text: `Heard ${said}` }),
      {
        tools: [act],
      },
    );
    stage.join();
    const whole: string[] = [];
    const half = new Set<string>();
    for (let turn = 0; stage.asked.length < REQUESTS; turn += 1) {
      const parts = Array.from(
        { length: 1 + upTo(4) },
        (_, part) => `T${turn}p${part}${random() < 0.2 ? ' act' : ''}.`,
      );
      for (const [index, part] of parts.entries()) {
        await stage.pass(220 + upTo(5) * 20, true);
        const isShownFirst = random() < 0.5;
        if (isShownFirst) stage.hearsPart(part.toLowerCase());
        await stage.pass(upTo(10) * 20);
        stage.hears(part);
        if (index === parts.length - 1) break;
        half.add(parts.slice(0, index + 1).join(' '));
        await stage.pass(60 + upTo(LONGEST_PAUSE_MS - 300));
      }
      whole.push(parts.join(' '));
      // what the bot says now is interrupted in the next turn at times
      await stage.pass(random() < 0.3 ? 2_000 : 3_600);
    }
    await stage.pass(5_000);
    const plain = (text: string) =>
      text
        .toLowerCase()
        .replace(/[^a-z0-9 ]/g, '')
        .trim();
    const known = new Set(whole.map(plain));
    const isWhole = (text: string) => known.has(plain(text));
    const answered = [...stage.sent.map(({ text }) => text)].join(' ');
    const inContext = stage
      .messages()
      .flatMap((message) => (message.role === 'assistant' && !message.isInterrupted ? [message.content] : []));
    const noted = stage.events.flatMap((event) =>
      event.type === 'said' && event.speaker === 'bot' && !event.wasInterrupted ? [event.text] : [],
    );
    const reports = stage.events.flatMap((event) => (event.type === 'turn_ended' ? [event] : []));
    const asked = reports.reduce((sum, { early }) => sum + (early?.asked ?? 0), 0);
    const kept = reports.filter(({ early }) => early?.isKept).length;
    expect({ asked: asked >= LEAST_ASKED, overtaken: asked - kept > LEAST_ASKED / 3 }).toEqual({
      asked: true,
      overtaken: true,
    });
    for (const text of half) {
      if (isWhole(text)) continue;
      const words = `Heard ${text}`;
      const isHalfOf = (said: string) => plain(said) === plain(words);
      expect(inContext.filter(isHalfOf)).toEqual([]);
      expect(noted.filter(isHalfOf)).toEqual([]);
    }
    expect(acted.filter((said) => !isWhole(said))).toEqual([]);
    expect(new Set(acted).size).toBe(acted.length);
    expect(answered).not.toBe('');
    const users = stage.messages().flatMap((message) => (message.role === 'user' ? [message.content] : []));
    expect(users.filter((said) => !isWhole(said))).toEqual([]);
    expect(users).toHaveLength(whole.length);
  },
  LIMIT_MS,
);
