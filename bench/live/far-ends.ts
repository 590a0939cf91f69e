import {
  FakeCartesia,
  FakeDeepgram,
  FakeGeminiLive,
  FakeGptLive,
  FakeLanguageModel,
  type FakeLiveMoment,
  type FakeLiveOptions,
  FakeRealtime,
  FakeXai,
} from 'voicebot/testing';

/** Kinds of bots, by who answers them. */
export const BOTS = ['openai', 'xai', 'google', 'gpt-live', 'cascade'] as const;
export type BotKind = (typeof BOTS)[number];

const CALLER_TEXT = 'Tell me more about that, please.';
const GREETING = 'Hello, this is the bakery.';
const TURNS_PER_CALL = 1_000;

export interface FarEndOptions {
  /** What the bot says, after the greeting. */
  readonly text: string;
  /** Makes the sound of it. */
  readonly audio: (text: string, sampleRate: number) => Int16Array;
  /** From a question to the first sound: of the cascade, the model takes a half of it, and the voice the other. In milliseconds. */
  readonly delayMs: number;
  /** Between two pieces of sound, of 100 ms each, in milliseconds. */
  readonly betweenChunksMs: number;
}

/** What a session of a live model has noted. */
export interface NotedSession {
  readonly messages: readonly object[];
  readonly items: ReadonlyArray<{ readonly role: string; readonly audioMs: number; readonly isTruncated: boolean }>;
}

/** Those who answer a bot. */
export interface FarEnd extends AsyncDisposable {
  /** For the environment of the bot. */
  readonly environment: Record<string, string>;
  /** Of live models. */
  readonly sessions: readonly NotedSession[];
}

export async function startFarEnd(kind: BotKind, options: FarEndOptions): Promise<FarEnd> {
  if (kind === 'cascade') return startCascade(options);
  const { text, audio, delayMs, betweenChunksMs } = options;
  const texts = () => new Array<string>(TURNS_PER_CALL).fill(CALLER_TEXT);
  const replies = ({ items }: FakeLiveMoment) =>
    items.some(({ role }) => role === 'assistant') ? { text } : { text: GREETING };
  const live: FakeLiveOptions = { texts, replies, audio, delayMs, betweenChunksMs };
  const start = { openai: FakeRealtime, xai: FakeXai, google: FakeGeminiLive, 'gpt-live': FakeGptLive }[kind];
  const fake = await start.start(live);
  return {
    environment: { BENCH_BOT: kind, BENCH_URL: fake.baseUrl },
    sessions: fake.sessions,
    [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
  };
}

async function startCascade({ text, audio, delayMs, betweenChunksMs }: FarEndOptions): Promise<FarEnd> {
  const ears = await FakeDeepgram.start({ texts: () => new Array<string>(TURNS_PER_CALL).fill(CALLER_TEXT) });
  const model = await FakeLanguageModel.start({ replies: { text, delayMs: delayMs / 2 } });
  const voice = await FakeCartesia.start({ audio, firstByteMs: delayMs / 2, betweenChunksMs });
  return {
    environment: {
      BENCH_BOT: 'cascade',
      BENCH_URL: voice.url,
      BENCH_EARS_URL: ears.url,
      BENCH_MODEL_URL: model.url,
    },
    sessions: [],
    async [Symbol.asyncDispose]() {
      await Promise.all([ears, model, voice].map((fake) => fake[Symbol.asyncDispose]()));
    },
  };
}
