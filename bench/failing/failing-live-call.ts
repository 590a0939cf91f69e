import { setTimeout as delay } from 'node:timers/promises';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import { deepgram, defineBot } from '../../src/bot/api/index.js';
import { sharedHealth } from '../../src/bot/services/service-health.js';
import { CartesiaTTS } from '../../src/bot/services/tts/cartesia-tts.js';
import { FakeCartesia } from '../../src/lab/kit/fake-cartesia.js';
import { buzz } from '../../src/lab/kit/fake-speech.js';
import {
  FakeDeepgram,
  FakeGeminiLive,
  FakeGptLive,
  FakeLanguageModel,
  type FakeLiveOptions,
  FakePhone,
  FakeRealtime,
  FakeXai,
} from '../../src/lab/kit/index.js';
import type { FakeLiveMoment, FakeLiveReply } from '../../src/lab/kit/live/fake-live-reply.js';
import { toneWords, wordsOnce } from '../../test/bot/services/tts/tone-words.js';
import { serveBakery } from './bakery.js';
import { OWN } from './failing-call.js';
import { ALL, ANNOUNCED, ANSWER, GREETING, type Heard, judged, Listener } from './heard.js';

/** Whose wire the session is on. */
export type LiveWire = 'openai' | 'xai' | 'google' | 'gpt-live';

/** What becomes of a live session, and when. */
export interface LiveFailure {
  readonly wire: LiveWire;
  /** `broken`, `stuck`: only the session that there is; another one works. Otherwise none works from then on. */
  readonly how: 'none' | 'killed' | 'hung' | '429' | '503' | 'broken' | 'stuck';
  readonly when: 'greeting' | 'first word' | 'mid-word' | 'function' | 'transfer';
  /** A cascade stands beside it. */
  readonly hasSecond: boolean;
}

type LiveFake = FakeRealtime | FakeXai | FakeGeminiLive | FakeGptLive;

/** What a session takes for its first sound, and between two messages of 100 ms, in milliseconds. */
export const LIVE_OWN = { firstAudioMs: 300, chunkMs: 60 };
/** So much of an answer is heard when it is cut, in milliseconds of sound. */
const CUT_MS = 700;
const CALLER_MS = 1_000;
const QUESTION = 'When does it open on Saturdays?';

const WIRES: Readonly<Record<LiveWire, (options: FakeLiveOptions, id: number) => Promise<[LiveFake, unknown]>>> = {
  openai: async (options, id) => {
    const fake = await FakeRealtime.start(options);
    const vendor = createOpenAI({ apiKey: 'test', baseURL: fake.baseUrl });
    return [fake, vendor.experimental_realtime(`gpt-realtime-${id}`)];
  },
  xai: async (options, id) => {
    const fake = await FakeXai.start(options);
    const vendor = createXai({ apiKey: 'test', baseURL: fake.baseUrl });
    return [fake, vendor.experimental_realtime(`grok-voice-${id}`)];
  },
  google: async (options, id) => {
    const fake = await FakeGeminiLive.start(options);
    const vendor = createGoogleGenerativeAI({ apiKey: 'test', baseURL: fake.baseUrl });
    return [fake, vendor.experimental_realtime(`gemini-live-${id}`)];
  },
  'gpt-live': async (options) => {
    const fake = await FakeGptLive.start(options);
    const vendor = createOpenAI({ apiKey: 'test', baseURL: fake.baseUrl });
    return [fake, vendor.experimental_realtime('gpt-live-1')];
  },
};

let calls = 0;

/** One call with a live bot whose session fails. */
export async function failingLiveCall(failure: LiveFailure): Promise<Heard> {
  calls += 1; // the health of a model is that of all calls of the process
  for (const failing of sharedHealth.failing) sharedHealth.works(failing);
  const { wire, how, when, hasSecond } = failure;
  const audio = toneWords(ALL);
  const fails = () => breakLive(fake, how);
  let hasFailed = false;
  const failNow = (isMoment: boolean) => {
    if (!isMoment || hasFailed || how === 'none') return;
    hasFailed = true;
    void fails();
  };
  const replies = (moment: FakeLiveMoment): FakeLiveReply => {
    const sentence = sentenceOf(moment);
    failNow(when === 'transfer' && sentence === ANNOUNCED);
    if (sentence) return { text: sentence };
    const said = moment.items.map(({ text }) => text).join(' ');
    const hasResult = moment.items.some(({ type }) => type === 'function_call_output') || said.includes('has returned');
    if (when === 'function' && !hasResult) return { toolCalls: [{ name: 'hours', input: {} }] };
    if (when === 'transfer' && !hasResult) return { toolCalls: [{ name: 'colleague', input: {} }] };
    failNow(when === 'first word');
    return { text: restOf(said) };
  };
  const delegates = (moment: FakeLiveMoment): FakeLiveReply => {
    failNow(when === 'first word');
    const isWork = when === 'function' || when === 'transfer';
    return isWork ? { delegates: true } : { text: restOf(moment.items.map(({ text }) => text).join(' ')) };
  };
  const [fake, model] = await WIRES[wire](
    {
      audio,
      texts: [QUESTION],
      delayMs: LIVE_OWN.firstAudioMs,
      betweenChunksMs: LIVE_OWN.chunkMs,
      replies: wire === 'gpt-live' ? delegates : replies,
    },
    calls,
  );
  const hearing = await FakeDeepgram.start({ texts: [QUESTION] });
  const writer = await FakeLanguageModel.start({
    replies: (messages) => {
      const timing = { delayMs: OWN.firstWordMs, tokenDelayMs: OWN.tokenMs };
      const hasResult = messages.some(({ role }) => role === 'tool');
      if (when === 'function' && !hasResult) return { ...timing, toolCalls: [{ name: 'hours', input: {} }] };
      if (when === 'transfer' && !hasResult) return { ...timing, toolCalls: [{ name: 'colleague', input: {} }] };
      const said = messages.filter(({ role }) => role === 'assistant').map(({ text }) => text);
      return { ...timing, text: restOf(said.join(' ')) };
    },
  });
  const voice = await FakeCartesia.start({
    audio,
    firstByteMs: OWN.firstAudioMs,
    betweenChunksMs: OWN.chunkMs,
    chunkBytes: 400,
  });
  if (when === 'greeting' && how !== 'none' && !isLater(failure)) await fails();
  const llm = createOpenAI({ apiKey: 'test', baseURL: writer.url }).chat(`model-${calls}`);
  const cascade = {
    stt: deepgram({ apiKey: 'test', baseUrl: hearing.url }),
    llm,
    tts: () => new CartesiaTTS({ apiKey: 'test', cache: false, baseUrl: voice.url } as never),
  };
  const bot = defineBot({
    live: (wire === 'gpt-live' ? { model, delegate: llm } : model) as never,
    ...(hasSecond && { otherwise: cascade }),
    onCall: (call) => serveBakery(call, audio, () => failNow(when === 'function')),
  });
  const phone = await FakePhone.call(bot, { transfer: () => 'answered' });
  if (when === 'greeting' && isLater(failure)) void greeted(fake, wire).then(fails);
  if (wire === 'gpt-live' && when === 'transfer') void announced(fake).then(() => failNow(true));
  try {
    return await listen(phone, failure, fails);
  } finally {
    for (const one of [phone, hearing, writer, voice, fake]) await one[Symbol.asyncDispose]();
  }
}

/** The session is there before it fails. */
const isLater = ({ how }: LiveFailure) => how === 'broken' || how === 'stuck' || how === 'hung';

/** The session is to say the greeting. */
async function greeted(fake: LiveFake, wire: LiveWire): Promise<void> {
  const session = fake.sessions[0] ?? (await fake.nextSession());
  const isAsked = (message: object) => JSON.stringify(message).includes(GREETING);
  await session.until(() => session.messages.some(isAsked));
  if (wire === 'gpt-live') return;
}

async function announced(fake: LiveFake): Promise<void> {
  const session = fake.sessions[0] ?? (await fake.nextSession());
  await session.until(() => session.messages.some((message) => JSON.stringify(message).includes(ANNOUNCED)));
}

async function listen(phone: FakePhone, failure: LiveFailure, fails: () => unknown): Promise<Heard> {
  const { when, how } = failure;
  const listener = new Listener(phone);
  let [spokenAt, from] = [0, 0];
  let said = GREETING;
  await listener.hears(GREETING, 0);
  if (when !== 'greeting') {
    await phone.hearsSilence({ forMs: 500 }).catch(() => {});
    spokenAt = phone.heard.length / 80;
    phone.say(buzz(CALLER_MS, 8_000));
    from = spokenAt + CALLER_MS / 10;
    said = when === 'transfer' ? ANNOUNCED : ANSWER;
    if (when === 'mid-word' && how !== 'none') {
      await listener.until((frames) => frames.slice(from).filter(({ word }) => word).length * 10 >= CUT_MS);
      await fails();
    }
  }
  await listener.hears(said, spokenAt);
  await listener.until(() => !phone.isHearing);
  const reason = await Promise.race([phone.ended.then((end) => end.reason), delay(1_000, 'goes on')]);
  const firstWord = listener.frames.findIndex(({ word }, at) => at >= spokenAt && word);
  const heard = listener.frames.slice(firstWord < 0 ? from : Math.min(from, firstWord));
  const isWithin = when === 'mid-word'; // the wait before it is none of the failure's
  return judged(isWithin ? heard.slice(heard.findIndex(({ word }) => word)) : heard, said, reason);
}

async function breakLive(fake: LiveFake, how: LiveFailure['how']): Promise<void> {
  if (how === 'killed') return fake.close();
  if (how === 'hung') fake.fallSilent();
  else if (how === 'stuck') for (const session of fake.sessions) session.isMute = true;
  else {
    if (how !== 'broken') fake.refuse(Number(how), 'Overloaded');
    fake.dropConnections();
  }
}

/** What it is to say word for word, if anything. */
function sentenceOf({ instructions, items }: FakeLiveMoment): string | undefined {
  const last = items.at(-1)?.text ?? '';
  const asked = [instructions, last].find((text) => text.includes('word for word')) ?? '';
  return [GREETING, ANNOUNCED].find((text) => asked.includes(text));
}

/** What of the answer was not said yet. */
function restOf(said: string): string {
  const words = wordsOnce(ANSWER);
  const told = said.replaceAll(QUESTION, '');
  let count = words.length;
  while (count > 0 && !told.includes(words.slice(0, count).join(' '))) count -= 1;
  return words.slice(count).join(' ');
}
