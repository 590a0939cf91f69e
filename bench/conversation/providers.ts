/** The providers of the bench: speech to text, a language model and a voice, which answer at once. Argument: their options as JSON. */
import { FakeCartesia, FakeDeepgram, FakeLanguageModel } from 'voicebot/testing';
import { commonNow, commonTime } from '../processes/clock.js';
import { answer, usage } from '../processes/questions.js';
import { takeLoopDelay } from './loop-delay.js';

export interface ProvidersOptions {
  /** What the model says. */
  reply: string;
  /** Between two of its words, in milliseconds. */
  tokenDelayMs: number;
  /** Between two messages of the voice, of 200 ms each, in milliseconds. */
  betweenChunksMs: number;
  /** Silence after which the last transcript is final, in milliseconds. */
  silenceMs: number;
}

/** When each step has happened, on the clock that all processes have in common, in milliseconds. */
export interface ProviderTimes {
  /** A final transcript was sent. */
  transcripts: number[];
  /** The model's whole request was there. */
  requests: number[];
  /** The model's answer was about to be sent. */
  replies: number[];
  /** A text for the voice was there; its audio was sent next. */
  texts: number[];
}

const TURNS_PER_CALL = 1_000;
/** 200 ms of mu-law. */
const CHUNK_BYTES = 1_600;
const CHARACTER_MS = 60;
const AMPLITUDE = 8_000;

const [options = ''] = process.argv.slice(2);
const { reply, tokenDelayMs, betweenChunksMs, silenceMs } = JSON.parse(options) as ProvidersOptions;

let times: ProviderTimes = { transcripts: [], requests: [], replies: [], texts: [] };

/** Made once, so that the voice needs no time for it. */
const tone = Int16Array.from({ length: 160_000 }, (_, n) => AMPLITUDE * Math.sin((2 * Math.PI * n) / 32));

const deepgram = await FakeDeepgram.start({
  texts: () => new Array<string>(TURNS_PER_CALL).fill('Tell me more about that, please.'),
  silenceMs,
  onListen: (session) => {
    const send = session.send.bind(session);
    session.send = (message) => {
      const { is_final: isFinal } = message as { is_final?: boolean };
      if (isFinal) times.transcripts.push(commonNow());
      send(message);
    };
  },
});
const model = await FakeLanguageModel.start({
  replies: (_messages, { receivedAt }) => {
    times.requests.push(commonTime(receivedAt));
    times.replies.push(commonNow());
    return { text: reply, tokenDelayMs };
  },
});
const cartesia = await FakeCartesia.start({
  audio: (text, sampleRate) => tone.subarray(0, (text.length * CHARACTER_MS * sampleRate) / 1_000),
  chunkBytes: CHUNK_BYTES,
  betweenChunksMs,
  reply: () => {
    times.texts.push(commonNow());
    return 'speak';
  },
});

const questions = {
  /** For the environment of a bot. */
  environment: (): Record<string, string> => ({
    DEEPGRAM_API_KEY: 'bench',
    DEEPGRAM_BASE_URL: deepgram.url,
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: model.url,
    CARTESIA_API_KEY: 'bench',
    CARTESIA_BASE_URL: cartesia.url,
  }),
  /** Since the last time. */
  times(): ProviderTimes {
    const taken = times;
    times = { transcripts: [], requests: [], replies: [], texts: [] };
    return taken;
  },
  usage,
  loopDelay: takeLoopDelay,
};
export type Providers = typeof questions;

answer(questions);
