/** Our side: conversations with the options they have by default, all in this process. Arguments: address of the ears, and `silero` for that detector. */
import { Pipeline, PipelineTask, type RunnerArguments } from 'voicebot';
import {
  Conversation,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InterimTranscriptionFrame,
  sileroDetector,
  TranscriptionFrame,
} from 'voicebot/pipeline';
import {
  type LanguageModel,
  LLMService,
  type Speech,
  type SpeechListener,
  TtsService,
  type Voice,
} from 'voicebot/services';
import { openTransport } from '../bots/pipeline-on.js';
import { answer, usage } from '../processes/questions.js';
import { serveBots } from '../processes/serve-bots.js';
import { EarLink } from './ear-link.js';
import { FakeModel, fakeSpeech, requests } from './fake-services.js';
import { markedText, SAMPLE_RATE } from './marked-speech.js';

const [earsUrl = '', detector] = process.argv.slice(2);

/** Words come from the ears, whatever the audio. */
class Ear extends FrameProcessor {
  constructor(private readonly ears: EarLink) {
    super();
    ears.listen(({ type, text }) =>
      this.push(type === 'interim' ? new InterimTranscriptionFrame(text) : new TranscriptionFrame(text, true)),
    );
  }

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
  }

  override cleanup(): void {
    this.ears.close();
  }
}

class MarkedTts extends TtsService {
  protected override get needsKey(): boolean {
    return false;
  }

  protected override get voiceKey(): string {
    return 'bench marked';
  }

  protected override createVoice(): Voice {
    return new MarkedVoice();
  }
}

class MarkedVoice implements Voice {
  readonly sampleRate = SAMPLE_RATE;
  #speech: Speech | undefined;

  warmUp(): void {}

  speak(listener: SpeechListener): Speech {
    this.#speech?.cancel();
    this.#speech = new MarkedUtterance(listener);
    return this.#speech;
  }

  close(): void {
    this.#speech?.cancel();
  }
}

/** One piece of text after the other, each asked for when it is there, as of a voice that is told to go on. */
class MarkedUtterance implements Speech {
  readonly #abort = new AbortController();
  #said: Promise<void> = Promise.resolve();
  #pieces = 0;

  constructor(private readonly listener: SpeechListener) {}

  say(text: string): void {
    const { signal } = this.#abort;
    // both speak the next sentence while the one before it is still coming
    const audio = collect(fakeSpeech(text, signal));
    this.#said = this.#said.then(async () => {
      for await (const pcm of audio()) if (!signal.aborted) this.listener.audio(pcm);
      this.#pieces += 1;
      if (!signal.aborted) this.listener.said(this.#pieces);
    });
    this.#said.catch(() => {});
  }

  end(): void {
    void this.#said.then(
      () => {
        if (!this.#abort.signal.aborted) this.listener.done();
      },
      () => {},
    );
  }

  cancel(): void {
    this.#abort.abort();
  }
}

/** Begins at once to take what comes, and gives it in order when asked. */
function collect<T>(source: AsyncIterable<T>): () => AsyncGenerator<T> {
  const items: T[] = [];
  let wake = () => {};
  let isOver = false;
  const taking = (async () => {
    for await (const item of source) {
      items.push(item);
      wake();
    }
  })()
    .catch(() => {})
    .finally(() => {
      isOver = true;
      wake();
    });
  return async function* () {
    for (let at = 0; ; at += 1) {
      while (at >= items.length && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (at >= items.length) return taking;
      yield items[at] as T;
    }
  };
}

interface ModelCall {
  readonly prompt: ReadonlyArray<{ role: string; content: string | ReadonlyArray<{ type: string; text?: string }> }>;
  readonly abortSignal?: AbortSignal;
}

/** As the `ai` package calls it. */
function languageModel(model: FakeModel): LanguageModel & { readonly supportedUrls: object } {
  return {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'marked',
    supportedUrls: {},
    doStream: async ({ prompt, abortSignal }: ModelCall) => {
      const messages = prompt.map(({ role, content }) => ({
        role,
        text: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(' '),
      }));
      return { stream: ReadableStream.from(parts(model.answer(messages, abortSignal))) };
    },
  };
}

async function* parts(words: AsyncIterable<string>): AsyncGenerator<object> {
  const id = '0';
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id };
  for await (const delta of words) yield { type: 'text-delta', id, delta };
  yield { type: 'text-end', id };
  yield {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: {}, outputTokens: {} },
  };
}

async function bot(args: RunnerArguments): Promise<void> {
  const transport = await openTransport(args, 'Beside');
  const { link, opening } = await EarLink.connect(earsUrl, args.call.id);
  const conversation = new Conversation({
    system: 'You answer the telephone.',
    greeting: markedText(0, opening.greetingWords),
    log: () => {},
    ...(detector === 'silero' && { detector: sileroDetector() }),
  });
  conversation.on('failed', (error) => console.error(error));
  const pipeline = new Pipeline([
    transport.input(),
    new Ear(link),
    conversation.user(),
    new LLMService({ model: languageModel(new FakeModel(args.call.id, opening.answerWords)) }),
    new MarkedTts({ cache: false }),
    transport.output(),
    conversation.assistant(),
  ]);
  await new PipelineTask(pipeline, { signal: args.signal, idleTimeoutMs: 0 }).run();
}

await LLMService.load();
const serving = serveBots(bot);

const questions = {
  url: () => serving,
  usage,
  /** Since the last time. */
  requests: () => requests.splice(0),
};
export type BesideBots = typeof questions;

answer(questions);
