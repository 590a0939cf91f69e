import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import { levelDb } from '../../../src/base/audio/level.js';
import { deepgram, defineBot, transferTo } from '../../../src/bot/api/index.js';
import { sharedHealth } from '../../../src/bot/services/service-health.js';
import { buzz, FakeDeepgram, FakeLanguageModel, type FakeModelReply, FakePhone } from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';
import { BROKEN_EARS, type EarFailures, refusedEars } from '../services/stt/ear-failures.js';
import { BuzzTTS } from './buzz-tts.js';

const SENTENCES = ['I would like a table for two.', 'At eight, please.'] as const;
const RATE = 8_000;
const FRAME = RATE / 50;
const LATE = { withinMs: 60_000 };
/** The longest silence that a failure may add to what the new ears need by themselves, in milliseconds. */
const MOST_ADDED_MS = 700;

const FAILURES: EarFailures = {
  ...BROKEN_EARS,
  429: refusedEars(429, 'too many requests', 30),
  503: refusedEars(503, 'overloaded'),
};

/** When the ears fail. In the later ones, the first sentence has been understood and answered. */
const MOMENTS = [
  'from the start',
  'at the greeting',
  'at the first word',
  'in mid-word',
  'in a function',
  'in a transfer',
] as const;
type Moment = (typeof MOMENTS)[number];
const isLate = (moment: Moment) => moment === 'in a function' || moment === 'in a transfer';

interface Outcome {
  /** From the end of the caller's sentence to the bot's first sound, in milliseconds, for each sentence. */
  readonly silencesMs: readonly number[];
  /** What the model was told, in order. */
  readonly words: readonly string[];
  readonly endReason: string;
}

/** A phone whose sounds are measured. */
class Measured {
  readonly silencesMs: number[] = [];

  constructor(private readonly phone: FakePhone) {}

  /** Says a sentence. @param meanwhile so many milliseconds after its beginning. Resolves when the bot is heard after it, or the call is over */
  async say(ms: number, meanwhile?: { readonly atMs: number; readonly run: () => void }): Promise<void> {
    const { phone } = this;
    const from = phone.heard.length / FRAME;
    phone.say(buzz(ms, RATE));
    if (meanwhile) {
      await this.#frames(from + meanwhile.atMs / 20);
      meanwhile.run();
    }
    const end = from + ms / 20;
    await this.#frames(end + 1);
    await Promise.race([phone.hears(LATE).catch(() => {}), phone.ended]);
    const heard = phone.heard;
    for (let at = end; at * FRAME < heard.length; at += 1) {
      if (levelDb(heard.subarray(at * FRAME, (at + 1) * FRAME)) < -45) continue;
      this.silencesMs.push((at - end) * 20);
      break;
    }
    await Promise.race([phone.hearsSilence({ forMs: 800, ...LATE }).catch(() => {}), phone.ended]);
  }

  async #frames(count: number): Promise<void> {
    let isOver = false;
    void this.phone.ended.then(() => {
      isOver = true;
    });
    while (!isOver && this.phone.heard.length / FRAME < count) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** One call in which the first ears fail. @param count how many ears there are */
async function callWith(count: 1 | 2, moment: Moment, fail: (fake: FakeDeepgram) => void): Promise<Outcome> {
  for (const state of sharedHealth.failing) sharedHealth.works(state); // as in a process that has had no call
  const later = isLate(moment) ? SENTENCES.slice(1) : SENTENCES;
  const first = await FakeDeepgram.start({ texts: SENTENCES });
  const second = await FakeDeepgram.start({ texts: later });
  const [firstUrl, secondUrl] = [first.url, second.url];
  const failNow = () => fail(first);
  const words: string[] = [];
  const answer = (text: string): FakeModelReply => {
    words.push(text);
    if (text === SENTENCES[0] && moment === 'in a function') return { toolCalls: [{ name: 'book', input: {} }] };
    if (text === SENTENCES[0] && moment === 'in a transfer') return { toolCalls: [{ name: 'operator', input: {} }] };
    return { text: `So you said: ${text}` };
  };
  const model = await FakeLanguageModel.start({
    replies: (messages) => {
      const last = messages.at(-1);
      return last?.role === 'user' ? answer(last.text) : { text: 'That is done, what else?' };
    },
  });
  if (moment === 'from the start') failNow();
  const ears = [firstUrl, secondUrl]
    .slice(0, count)
    .map((baseUrl, index) => deepgram({ apiKey: 'test', baseUrl, model: `ears-${index + 1}` }));
  const bot = defineBot({
    stt: ears,
    llm: createOpenAI({ apiKey: 'test', baseURL: model.url }).chat('gpt-4.1-mini'),
    tts: () => new BuzzTTS({ cache: false }),
    onCall: async (call) => {
      await call.converse({
        log: () => {},
        system: 'Be brief.',
        greeting: 'Hello, this is the bakery.',
        tools: {
          book: {
            description: 'Books.',
            input: z.object({}),
            run: async () => {
              failNow();
              await new Promise((resolve) => setTimeout(resolve, 1_000));
            },
          },
          operator: transferTo('+12025550101'),
        },
      }).ended;
    },
  });
  const transfer = () => {
    failNow();
    return 'busy' as const;
  };
  const phone = await FakePhone.call(bot, { transfer });
  try {
    const measured = new Measured(phone);
    await phone.hears(LATE);
    if (moment === 'at the greeting') failNow();
    await phone.hearsSilence({ forMs: 1_500, ...LATE });
    const atMs = { 'at the first word': 100, 'in mid-word': 800 }[moment as string];
    await measured.say(1_500, atMs === undefined ? undefined : { atMs, run: failNow });
    const isOver = await Promise.race([
      phone.ended.then(() => true),
      new Promise((resolve) => setTimeout(resolve, 100)),
    ]);
    if (isOver !== true) {
      await phone.hearsSilence({ forMs: 1_000, ...LATE }).catch(() => {});
      await measured.say(1_000);
    }
    phone.hangUp();
    return { silencesMs: measured.silencesMs, words, endReason: (await phone.ended).reason };
  } finally {
    for (const one of [phone, first, second, model]) await one[Symbol.asyncDispose]();
  }
}

const table: string[] = [];
const report = (name: string, { silencesMs, words, endReason }: Outcome, baseMs?: readonly number[]) => {
  const lost = SENTENCES.filter((sentence) => !words.includes(sentence)).length;
  const twice = words.length - new Set(words).size;
  const added = silencesMs.map((ms, index) => ms - (baseMs?.[index] ?? ms)).filter(Number.isFinite);
  table.push(
    [
      name.padEnd(44),
      `silence ${silencesMs.join(' / ')} ms`.padEnd(28),
      baseMs ? `added ${Math.max(...added)} ms`.padEnd(14) : '',
      `sentences lost ${lost}, twice ${twice}, ${endReason}`,
    ].join('  '),
  );
};

let clock: HastyClock;
let healthy: Outcome;
beforeAll(async () => {
  using _clock = new HastyClock();
  healthy = await callWith(2, 'from the start', () => {});
  report('nothing fails', healthy);
});
beforeEach(() => {
  clock = new HastyClock();
});
afterEach(() => clock[Symbol.dispose]());
afterAll(() => {
  process.stderr.write(`\n${table.join('\n')}\n`);
});

describe.each(Object.entries(FAILURES))('ears that are %s', (failure, fail) => {
  test.each(MOMENTS)(
    '%s: the second ears go on, no word is lost or understood twice, and the caller hardly waits',
    async (moment) => {
      const outcome = await callWith(2, moment, fail);
      report(
        `two ears, ${failure} ${moment}`,
        outcome,
        isLate(moment) ? [Number.NaN, healthy.silencesMs[1] ?? 0] : healthy.silencesMs,
      );
      expect(outcome.words).toEqual(SENTENCES);
      expect(outcome.endReason).not.toBe('provider_error');
      for (const [index, ms] of outcome.silencesMs.entries()) {
        if (index === 0 && isLate(moment)) continue; // the ears still worked
        expect(ms - (healthy.silencesMs[index] ?? 0)).toBeLessThanOrEqual(MOST_ADDED_MS);
      }
    },
  );

  test('in mid-word: alone, they cost the call, as they always did', async () => {
    const outcome = await callWith(1, 'in mid-word', fail);
    report(`one pair, ${failure} in mid-word`, outcome, healthy.silencesMs);
    expect(outcome.words).not.toContain(SENTENCES[0]);
    expect(outcome.endReason).toBe('provider_error');
  });
});
