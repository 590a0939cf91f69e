import { AsyncResource } from 'node:async_hooks';
import type { OptionNames } from '../../../base/names/option-names.js';
import type { ProviderError } from '../../../base/provider-error.js';
import { hasStandIns, noteStandIn } from '../../../call/stand-ins.js';
import type { BotEntry } from '../../../call/timeline.js';
import { notesOf } from '../../pipeline/early-notes.js';
import {
  CancelFrame,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMTextFrame,
  type OutputAudioFrame,
  StartFrame,
  TTSSpeakFrame,
  type Utterance,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { LineFrame, recordedLine } from '../../pipeline/recorded-lines.js';
import { vendorName } from '../vendor.js';
import { DEFAULT_FLITE_VOICE } from './flite-program.js';
import { fliteFile, fliteVoice } from './flite-thread.js';
import { MutatedSpeech } from './mutated-speech.js';
import type { Phrase } from './phrase.js';
import { type PhraseCache, sharedPhrases } from './phrase-cache.js';
import { UtteranceJob } from './utterance-job.js';
import type { Voice, VoiceListener, VoiceSource } from './voice.js';

/** What all voices can be told. */
export interface TtsServiceOptions {
  /** Keeps what was said, so that it need not be made again. Default: one for all calls of the process; false keeps nothing. */
  cache?: PhraseCache | false | undefined;
  /**
   * What the caller hears when something is to be said and the voice has given up; then the call is ended with the reason
   * `provider_error`. A pipeline with a conversation does what that says instead. Default: a recorded apology, in English; false:
   * the pipeline goes on without a voice.
   */
  apology?: OutputAudioFrame | false | undefined;
}

export const TTS_OPTIONS: OptionNames<TtsServiceOptions> = { cache: true, apology: true };

/** For which calls {@link TtsService.preload} makes phrases. */
export interface PreloadOptions {
  /** Rate of the bot's audio in the calls to come, in hertz. Default 8000, as of a pipeline. */
  sampleRate?: number;
}

/**
 * Says what the model writes and what the bot wants said. A sentence of an answer is asked for as soon as it is complete, the
 * first part of it even sooner. The voice of a vendor is a subclass that gives a {@link Voice}.
 */
export abstract class TtsService extends FrameProcessor {
  readonly #cache: PhraseCache | undefined;
  readonly #apology: OutputAudioFrame | false | undefined;
  /** A conversation that joins the pipeline later says in it that it handles failures. */
  #start: StartFrame | undefined;
  /** Nothing more will come from the voice. */
  #hasGivenUp = false;
  #hasApologised = false;
  #voice: Voice | undefined;
  #sampleRate = 0;
  /** What is being said, and whether it is an answer that is still being written. */
  #job: UtteranceJob | undefined;
  #answer: UtteranceJob | undefined;
  #utterances = 0;
  /** Undefined but in a bot that a test breaks on purpose. */
  readonly #mutated = MutatedSpeech.ofThisProcess(() => this.timeline);
  /**
   * Texts that have not been said yet, each with the asynchronous context of the code that wants it said: below its span is that of
   * the voice. Code that waits for one is told also when an interruption has dropped it.
   */
  readonly #waiting = new Map<TTSSpeakFrame, AsyncResource>();

  constructor({ cache = sharedPhrases, apology }: TtsServiceOptions = {}) {
    super();
    this.#cache = cache || undefined;
    this.#apology = apology;
    if (this.#isStoodInFor) fliteFile();
  }

  /** What makes its voice, for a list of them. @internal */
  get source(): VoiceSource {
    const { provider, model } = this.#spoken;
    const create: VoiceSource['create'] = (sampleRate, listener) => this.#create(sampleRate, listener);
    return { key: this.#key, provider: vendorName(provider), model, create };
  }

  /** What it was told. @internal */
  get options(): TtsServiceOptions {
    return { cache: this.#cache ?? false, apology: this.#apology };
  }

  /** False for a voice of this machine: it needs no stand-in. */
  protected get needsKey(): boolean {
    return true;
  }

  /** Flite speaks in its place. */
  get #isStoodInFor(): boolean {
    return this.needsKey && hasStandIns();
  }

  get #key(): string {
    return this.#isStoodInFor ? `flite ${DEFAULT_FLITE_VOICE}` : this.voiceKey;
  }

  /** Whose voice speaks, in one word, and which of the vendor's models. */
  get #spoken(): { readonly provider: string; readonly model: string | undefined } {
    const [provider = ''] = this.#key.split(' ', 1);
    return { provider, model: this.#isStoodInFor ? undefined : this.model };
  }

  /** The vendor in one word, the voice and all its settings: two voices of the same key sound the same. */
  protected abstract get voiceKey(): string;

  /** Which of the vendor's models speaks; undefined where there is only one. */
  protected get model(): string | undefined {
    return undefined;
  }

  /** What it speaks, as a BCP 47 tag: how `*` and `#` are said. */
  protected get language(): string {
    return 'en';
  }

  /** Makes the voice of one call. @param sampleRate of the pipeline; the voice may have another when the vendor has not this one */
  protected abstract createVoice(sampleRate: number, listener: VoiceListener): Voice;

  /**
   * Makes phrases before there is a call, such as the greeting, so that they start at once. For the top of a bot file; the calls of
   * the process find them in the cache. What did not come in one piece is asked for once more.
   * @throws ProviderError when the voice fails
   */
  async preload(texts: readonly string[], { sampleRate = 8_000 }: PreloadOptions = {}): Promise<void> {
    const cache = this.#cache;
    if (!cache) return;
    let failure: ProviderError | undefined;
    const voice = this.#create(sampleRate, {
      troubled: (error) => {
        if (error.isFinal) failure = error;
      },
    });
    try {
      for (const text of texts) {
        const key = this.#keyOf(text, sampleRate);
        if (await cache.load(key)) continue;
        let phrase = await makePhrase(voice, text, this.language);
        if (!phrase && !failure) phrase = await makePhrase(voice, text, this.language);
        if (failure) throw failure;
        if (phrase) await cache.store(key, phrase);
      }
    } finally {
      voice.close();
    }
  }

  override receive(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TTSSpeakFrame) this.#waiting.set(frame, new AsyncResource('voicebot.TTSSpeakFrame'));
    super.receive(frame, direction);
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (direction === 'upstream') this.#pass(frame, direction);
    else if (frame instanceof LLMTextFrame) this.#write(frame);
    else if (frame instanceof LLMResponseStartFrame) this.#begin(frame);
    else if (frame instanceof LLMResponseEndFrame) return this.#end(frame);
    else if (frame instanceof TTSSpeakFrame) return this.#speak(frame);
    else this.#pass(frame, direction);
  }

  override cleanup(): void {
    this.#drop(() => true);
    this.#voice?.close();
  }

  #pass(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) this.#begins(frame);
    else if (frame instanceof InterruptionFrame) this.#drop(({ isInterruptible }) => isInterruptible);
    else if (frame instanceof CancelFrame) this.#drop(() => true);
    this.push(frame, direction);
    if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#voice?.close();
  }

  #begins(start: StartFrame): void {
    const { audioOutSampleRate } = start;
    this.#start = start;
    this.#sampleRate = audioOutSampleRate;
    if (this.#isStoodInFor) noteStandIn(this.timeline, 'voice');
    this.#voice ??= this.#create(audioOutSampleRate, {
      troubled: (error) => {
        this.#hasGivenUp ||= error.isFinal;
        this.broadcast(() => new ErrorFrame(error, false, this.name));
      },
      switched: ({ from, to, ...how }) => {
        const [before, now] = [from, to].map(({ provider, model }) => ({ provider, model }));
        if (before && now) this.#noteSwitch({ from: before, to: now, ...how });
      },
    });
    this.#voice.warmUp();
    this.timeline?.note({ type: 'service', does: 'text_to_speech', ...this.#spoken });
  }

  #noteSwitch(how: Omit<Extract<BotEntry, { type: 'service_switched' }>, 'type' | 'does'>): void {
    const turn = this.#job?.utterance.response?.turn.id;
    this.timeline?.note({ type: 'service_switched', does: 'text_to_speech', turn, ...how });
  }

  #begin(frame: LLMResponseStartFrame): void {
    const isWanted = !frame.response.turn.dropped.aborted;
    this.#answer = isWanted ? this.#beginJob({ response: frame.response, appendToContext: true }) : undefined;
    this.push(frame);
  }

  #write(frame: LLMTextFrame): void {
    this.push(frame);
    if (this.#answer?.utterance.response !== frame.response) return;
    this.#answer.write(this.#mutated ? this.#mutated.write(frame.text) : frame.text);
  }

  #end(frame: LLMResponseEndFrame): void | Promise<void> {
    const answer = this.#answer;
    if (answer?.utterance.response !== frame.response) return this.push(frame);
    this.#answer = undefined;
    if (this.#mutated) answer.write(this.#mutated.end());
    return answer.end().then(() => {
      if (!answer.isCancelled) this.push(frame);
      this.#considerApology(answer);
    });
  }

  #speak(frame: TTSSpeakFrame): void | Promise<void> {
    if (this.#answer && !this.#answer.isCancelled) return this.#speakInAnswer(frame, this.#answer);
    const text = this.#mutated ? this.#mutated.whole(frame.text) : frame.text;
    const key = this.#keyOf(text, this.#sampleRate);
    const phrase = this.#cache?.get(key);
    const job = this.#beginJob({ appendToContext: frame.appendToContext, text });
    if (phrase) {
      job?.replay(phrase);
      return this.#settle(frame);
    }
    if (!job || text.trim() === '') return this.#settle(frame);
    const speak = () => {
      job.write(text);
      return job.end();
    };
    return (this.#waiting.get(frame)?.runInAsyncScope(speak) ?? speak()).then(() => {
      const { phrase } = job;
      if (phrase) this.#cache?.set(key, phrase);
      this.#considerApology(job);
      this.#settle(frame);
    });
  }

  /** What the model has written so far is said before it, and what it goes on to write after it. */
  async #speakInAnswer(frame: TTSSpeakFrame, answer: UtteranceJob): Promise<void> {
    const { signal } = this;
    this.#answer = undefined;
    if (this.#mutated) answer.write(this.#mutated.end());
    await answer.end();
    if (!signal.aborted) await this.#speak(frame);
    const { response } = answer.utterance;
    if (!signal.aborted && !answer.isCancelled) this.#answer = this.#beginJob({ response, appendToContext: true });
    this.#settle(frame);
  }

  #beginJob(of: Omit<Utterance, 'id'>): UtteranceJob | undefined {
    const voice = this.#voice;
    if (!voice) return undefined;
    this.#utterances += 1;
    this.#job = new UtteranceJob({
      utterance: { id: this.#utterances, ...of },
      voice,
      language: this.language,
      push: (frame) => this.push(frame),
      recall: (text) => this.#cache?.get(this.#keyOf(text, this.#sampleRate)),
      timeline: notesOf(of.response?.turn, this.timeline),
    });
    return this.#job;
  }

  /** A bot that has no voice and no conversation would leave the caller in silence. */
  #considerApology({ hasFailed }: UtteranceJob): void {
    const isOurs = hasFailed && this.#hasGivenUp && !this.#start?.hasFailureHandler && !this.#hasApologised;
    if (!isOurs || this.#apology === false) return;
    this.#hasApologised = true;
    this.push(this.#apology ? new LineFrame(this.#apology, 'apology') : recordedLine('apology'));
    this.push(new EndFrame('provider_error'));
  }

  #keyOf(text: string, sampleRate: number): string {
    return JSON.stringify([this.#key, sampleRate, text.trim()]);
  }

  #create(sampleRate: number, listener: VoiceListener): Voice {
    return this.#isStoodInFor ? fliteVoice(sampleRate, listener) : this.createVoice(sampleRate, listener);
  }

  #settle(frame: TTSSpeakFrame): void {
    this.#waiting.delete(frame);
    frame.settle();
  }

  /** Nothing of what is being said is wanted any more. */
  #drop(isMeant: (frame: TTSSpeakFrame) => boolean): void {
    this.#job?.cancel();
    this.#answer = undefined;
    this.#mutated?.forget();
    for (const frame of this.#waiting.keys()) if (isMeant(frame)) this.#settle(frame);
  }
}

async function makePhrase(voice: Voice, text: string, language: string): Promise<Phrase | undefined> {
  const job = new UtteranceJob({ utterance: { id: 0, appendToContext: false }, voice, language, push: () => {} });
  job.write(text);
  await job.end();
  return job.phrase;
}
