/**
 * What the bench uses of LiveKit Agents, whose packages are not there when it is compiled. Written down from its documentation:
 * shapes only.
 */
export interface LivekitFrame {
  readonly data: Int16Array;
  readonly sampleRate: number;
  readonly samplesPerChannel: number;
}

interface Queue<T> {
  put(item: T): void;
}

/** A stream that its subclass fills. */
interface Fillable<T> {
  readonly queue: Queue<T>;
  readonly abortSignal: AbortSignal;
  readonly abortController: AbortController;
}

export interface LivekitMessage {
  readonly type: string;
  readonly role?: string;
  readonly textContent?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: constructors of classes to extend
type Extendable<T> = abstract new (...args: any[]) => T;

export interface LivekitAudioOutput {
  captureFrame(frame: LivekitFrame): Promise<void>;
  flush(): void;
  clearBuffer(): void;
  pause(): void;
  resume(): void;
  onPlaybackStarted(createdAt: number): void;
  onPlaybackFinished(event: { playbackPosition: number; interrupted: boolean }): void;
}

export interface LivekitSession {
  input: { audio: unknown };
  output: { audio: unknown };
  start(options: { agent: unknown; record: boolean }): Promise<void>;
  say(text: string): unknown;
  close(): Promise<void>;
  on(event: string, listener: (event: { error?: unknown }) => void): void;
}

/** The package `@livekit/agents`. */
export interface LivekitAgents {
  initializeLogger(options: { pretty: boolean; level: string }): void;
  stt: {
    STT: Extendable<object>;
    SpeechStream: Extendable<Fillable<object> & { readonly input: AsyncIterable<unknown> }>;
    SpeechEventType: Record<string, number>;
  };
  tts: { TTS: Extendable<object>; ChunkedStream: Extendable<Fillable<object> & { readonly inputText: string }> };
  llm: {
    LLM: Extendable<object>;
    LLMStream: Extendable<Fillable<object> & { readonly chatCtx: { items: readonly LivekitMessage[] } }>;
  };
  voice: {
    Agent: new (options: { instructions: string }) => object;
    AgentSession: new (options: object) => LivekitSession;
    AudioInput: Extendable<{ readonly multiStream: { addInputStream(source: ReadableStream): void } }>;
    AudioOutput: Extendable<LivekitAudioOutput>;
  };
}

export interface LivekitSilero {
  VAD: { load(): Promise<object> };
}

export interface LivekitRtc {
  AudioFrame: new (data: Int16Array, sampleRate: number, channels: number, samplesPerChannel: number) => LivekitFrame;
}
