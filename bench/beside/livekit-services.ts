import type { EarLink } from './ear-link.js';
import { type FakeModel, fakeSpeech } from './fake-services.js';
import type { LivekitAgents, LivekitRtc } from './livekit-types.js';
import { SAMPLE_RATE } from './marked-speech.js';

/** The ears, the model and the voice of one call, as LiveKit's services. */
export function livekitServices(agents: LivekitAgents, rtc: LivekitRtc, link: EarLink, model: FakeModel) {
  const { stt, llm, tts } = agents;
  const { START_OF_SPEECH, INTERIM_TRANSCRIPT, FINAL_TRANSCRIPT, END_OF_SPEECH } = stt.SpeechEventType;

  class EarStream extends stt.SpeechStream {
    readonly label = 'bench.EarStream';
    #isSpeaking = false;

    protected async run(): Promise<void> {
      link.listen(({ type, text }) => {
        if (!this.#isSpeaking) this.queue.put({ type: START_OF_SPEECH });
        this.#isSpeaking = type === 'interim';
        const alternatives = [{ language: 'en', text, startTime: 0, endTime: 0, confidence: 1 }];
        this.queue.put({ type: type === 'interim' ? INTERIM_TRANSCRIPT : FINAL_TRANSCRIPT, alternatives });
        if (type === 'final') this.queue.put({ type: END_OF_SPEECH });
      });
      for await (const _ of this.input); // until the call is over
    }
  }

  class Ear extends stt.STT {
    readonly label = 'bench.Ear';

    constructor() {
      super({ streaming: true, interimResults: true });
    }

    stream(): EarStream {
      return new EarStream(this, undefined, { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 10_000 });
    }

    protected async _recognize(): Promise<never> {
      throw new Error('the ears only stream');
    }
  }

  class ModelStream extends llm.LLMStream {
    protected async run(): Promise<void> {
      const messages = this.chatCtx.items
        .filter(({ type }) => type === 'message')
        .map(({ role = '', textContent = '' }) => ({ role, text: textContent }));
      const { signal } = this.abortController;
      try {
        for await (const content of model.answer(messages, signal)) {
          if (signal.aborted) return;
          this.queue.put({ id: 'bench', delta: { role: 'assistant', content } });
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  class Model extends llm.LLM {
    label(): string {
      return 'bench.Model';
    }

    chat({ chatCtx, toolCtx, connOptions = CONNECT }: { chatCtx: object; toolCtx?: object; connOptions?: object }) {
      return new ModelStream(this, { chatCtx, toolCtx, connOptions });
    }
  }

  class SpeechStream extends tts.ChunkedStream {
    readonly label = 'bench.SpeechStream';

    protected async run(): Promise<void> {
      const signal = this.abortSignal;
      try {
        for await (const pcm of fakeSpeech(this.inputText, signal)) {
          if (signal.aborted) return;
          const frame = new rtc.AudioFrame(pcm.slice(), SAMPLE_RATE, 1, pcm.length);
          this.queue.put({ requestId: 'bench', segmentId: 'bench', frame, final: false });
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  class Speech extends tts.TTS {
    readonly label = 'bench.Speech';

    constructor() {
      super(SAMPLE_RATE, 1, { streaming: false });
    }

    synthesize(text: string, connOptions?: object, abortSignal?: AbortSignal): SpeechStream {
      return new SpeechStream(text, this, connOptions, abortSignal);
    }

    stream(): never {
      throw new Error('one sentence at a time');
    }
  }

  return { stt: new Ear(), llm: new Model(), tts: new Speech() };
}

const CONNECT = { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 10_000 };
