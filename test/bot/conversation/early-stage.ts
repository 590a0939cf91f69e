import { Conversation, type ConversationOptions } from '../../../src/bot/conversation/conversation.js';
import {
  CallerJoinedFrame,
  InputAudioFrame,
  InterimTranscriptionFrame,
  StartFrame,
  TranscriptionFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { LLMService } from '../../../src/bot/services/llm/index.js';
import type { LanguageModel } from '../../../src/bot/services/llm/language-model.js';
import { SpeechOutput } from '../../../src/bot/transports/speech-output.js';
import type { BotEntry, CallTimeline } from '../../../src/call/timeline.js';
import { type SpeechListener, TtsService, type Voice } from '../../../src/doors/services.js';
import { SILENT_WIRE } from '../transports/silent-wire.js';
import { End } from './stage.js';

const RATE = 8_000;
const CHARACTER_MS = 20;
/** The model's first words, and the voice's first sound, in milliseconds after they were asked. */
export const MODEL_MS = 400;
export const VOICE_MS = 200;

/** What a model answers to what the caller has said last. */
export interface Answer {
  readonly text?: string;
  readonly calls?: readonly string[];
}

interface Prompt {
  readonly prompt: ReadonlyArray<{ readonly role: string; readonly content: unknown }>;
  readonly abortSignal?: AbortSignal;
}

/** A model of the `ai` package that takes its time. */
function slowModel(answer: (said: string) => Answer, asked: string[]): LanguageModel {
  return {
    specificationVersion: 'v3',
    provider: 'test',
    modelId: 'slow',
    supportedUrls: {},
    doStream: async ({ prompt, abortSignal }: Prompt) => {
      const last = prompt.at(-1);
      const said = last?.role === 'user' ? JSON.stringify(last.content).replace(/.*"text":"(.*?)".*/, '$1') : '';
      asked.push(JSON.stringify(prompt));
      await new Promise((resolve, reject) => {
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason));
        setTimeout(resolve, MODEL_MS); // of the clock that the test moves
      });
      const { text = '', calls = [] } = last?.role === 'user' ? answer(said) : { text: 'It is done.' };
      const parts = [
        { type: 'stream-start', warnings: [] },
        ...(text
          ? [
              { type: 'text-start', id: '0' },
              ...text.split(/(?<= )/).map((delta) => ({ type: 'text-delta', id: '0', delta })),
              { type: 'text-end', id: '0' },
            ]
          : []),
        ...calls.map((toolName, index) => ({
          type: 'tool-call',
          toolCallId: `${asked.length}-${index}`,
          toolName,
          input: JSON.stringify({ said }),
        })),
        {
          type: 'finish',
          finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: 'stop' },
          usage: { inputTokens: {}, outputTokens: {} },
        },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  } as unknown as LanguageModel;
}

/** A voice that takes its time, and whose samples tell which text they are. */
class SlowTTS extends TtsService {
  readonly texts: string[] = [''];

  override get needsKey(): boolean {
    return false;
  }

  override get voiceKey(): string {
    return 'slow';
  }

  override createVoice(sampleRate: number): Voice {
    const speak = (listener: SpeechListener) => {
      const timers: NodeJS.Timeout[] = [];
      let count = 0;
      let pending = 0;
      let isEnded = false;
      const settle = () => {
        if (isEnded && pending === 0) listener.done();
      };
      return {
        say: (text: string) => {
          const sample = this.texts.push(text) - 1;
          pending += 1;
          timers.push(
            setTimeout(() => {
              listener.audio(new Int16Array((text.length * CHARACTER_MS * sampleRate) / 1_000).fill(sample));
              count += 1;
              pending -= 1;
              listener.said(count);
              settle();
            }, VOICE_MS),
          );
        },
        end: () => {
          isEnded = true;
          settle();
        },
        cancel: () => {
          for (const timer of timers) clearTimeout(timer);
        },
      };
    };
    return { sampleRate, speak, warmUp: () => {}, close: () => {} };
  }
}

/** A conversation with the real model and voice services, on a clock that a test moves: what is said and heard, and when. */
export async function setUpEarlyStage(answer: (said: string) => Answer, options: ConversationOptions = {}) {
  await LLMService.load(); // takes time that no test moves
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const asked: string[] = [];
  const events: BotEntry[] = [];
  const timeline: CallTimeline = { note: (entry) => void events.push(entry), during: (_, work) => work() };
  const startedAt = performance.now();
  const now = () => Math.round(performance.now() - startedAt);
  /** When each frame went out, and which text it is of; 0 for none. */
  const sent: Array<{ readonly at: number; readonly text: string }> = [];
  const conversation = new Conversation({
    detector: () => ({ isSpeech: (pcm) => pcm[0] !== 0 }),
    log: () => {},
    holdAfterMs: 0,
    ...options,
  });
  const voice = new SlowTTS({ cache: false });
  const output = new SpeechOutput(
    {
      ...SILENT_WIRE,
      sendAudio: (pcm) => sent.push({ at: now(), text: voice.texts[pcm[0] ?? 0] ?? '' }),
    },
    true,
    { hangUp: async () => {}, released() {} },
  );
  const [head, tail] = [new End(), new End()];
  const all = [
    head,
    conversation.user(),
    new LLMService({ model: slowModel(answer, asked) }),
    voice,
    output,
    conversation.assistant(),
    tail,
  ];
  all.reduce((previous, next) => {
    previous.link(next);
    return next;
  });
  const start = new StartFrame(RATE, RATE);
  start.timeline = timeline;
  head.emit(start, 'downstream');

  async function step(isSpeech: boolean): Promise<void> {
    head.emit(new InputAudioFrame(new Int16Array(160).fill(isSpeech ? 3_000 : 0), RATE), 'downstream');
    await jest.advanceTimersByTimeAsync(20);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets `ms` pass, with the caller's audio in it. */
  async function pass(ms: number, isSpeech = false): Promise<void> {
    for (let at = 0; at < ms; at += 20) await step(isSpeech);
  }

  return {
    conversation,
    asked,
    events,
    sent,
    head,
    now,
    pass,
    join: () => head.emit(new CallerJoinedFrame(), 'downstream'),
    hears: (text: string) => head.emit(new TranscriptionFrame(text), 'downstream'),
    hearsPart: (text: string) => head.emit(new InterimTranscriptionFrame(text), 'downstream'),
    /** The texts that were heard, each once, in order. */
    heard: () => sent.map(({ text }) => text).filter((text, index, all) => text !== all[index - 1]),
    messages: () => conversation.context.messages,
  };
}

export type EarlyStage = Awaited<ReturnType<typeof setUpEarlyStage>>;
