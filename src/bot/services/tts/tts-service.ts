import { AsyncResource } from 'node:async_hooks';
import type { ServiceModel } from '../../../call/service-name.js';
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
  SpeechLanguageFrame,
  StartFrame,
  TTSSpeakFrame,
  type Utterance,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { canonicalLanguage, isSameLanguage, languageOf } from '../../pipeline/language.js';
import { LineFrame, recordedLine } from '../../pipeline/recorded-lines.js';
import { modelOf } from '../listed-names.js';
import { vendorName } from '../vendor.js';
import { CallVoices } from './call-voices.js';
import { DEFAULT_FLITE_VOICE } from './flite-program.js';
import { fliteFile, fliteVoice } from './flite-thread.js';
import { makePhrases, type PreloadOptions, phraseKey } from './make-phrases.js';
import { speechUsage } from './metered-voice.js';
import { MutatedSpeech } from './mutated-speech.js';
import { type PhraseCache, sharedPhrases } from './phrase-cache.js';
import type { TtsServiceOptions } from './tts-service-options.js';
import { UtteranceJob } from './utterance-job.js';
import type { Voice, VoiceListener, VoiceSource } from './voice.js';

/**
 * Says what the model writes and what the bot wants said. A sentence of an answer is asked for as soon as it is complete, the
 * first part of it even sooner. The voice of a vendor is a subclass that gives a {@link Voice}.
 */
export abstract class TtsService extends FrameProcessor {
  readonly #cache: PhraseCache | undefined;
  readonly #apology: OutputAudioFrame | false | undefined;
  /** A conversation that joins the pipeline later says in it that it handles failures. */
  #start: StartFrame | undefined;
  /** Voices of the same call, itself included, by the BCP 47 tags of what they speak. @internal */
  others: ReadonlyMap<string, TtsService> | undefined;
  /** Nothing more will come from the voice. */
  #hasGivenUp = false;
  #hasApologised = false;
  readonly #voices: CallVoices;
  #source: VoiceSource | undefined;
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
    this.#voices = new CallVoices(() => this.source, {
      troubled: (error) => {
        this.#hasGivenUp ||= error.isFinal;
        this.#report(error);
      },
      used: (units, by) => this.timeline?.note(speechUsage(units, by)),
      switched: ({ from, to, ...how }) => this.#noteSwitch({ from: modelOf(from), to: modelOf(to), ...how }),
    });
  }

  /** What makes its voice, for services that have several. @internal */
  get source(): VoiceSource {
    this.#source ??= this.#sourceOf(this.#spoken, () => this.#key);
    return this.#source;
  }

  #sourceOf({ provider, model }: ServiceModel, keyNow: () => string): VoiceSource {
    return {
      get key() {
        return keyNow();
      },
      provider,
      model,
      watched: this.isWatched && !this.#isStoodInFor,
      isCharged: this.needsKey && !this.#isStoodInFor,
      language: this.#isStoodInFor ? undefined : this.language,
      firstSoundMs: this.#isStoodInFor ? undefined : this.firstSoundMs,
      inLanguage: (language) => this.#voiceIn(language).source,
      create: (sampleRate, listener) =>
        this.#isStoodInFor ? fliteVoice(sampleRate, listener) : this.createVoice(sampleRate, listener),
    };
  }

  /** What it was told. @internal */
  get options(): TtsServiceOptions {
    return { cache: this.#cache ?? false, apology: this.#apology };
  }

  /** False for a voice of this machine: it needs no stand-in. */
  protected get needsKey(): boolean {
    return true;
  }

  /** False where its voices tell themselves how they are. @internal */
  protected get isWatched(): boolean {
    return true;
  }

  /** Flite speaks in its place. */
  get #isStoodInFor(): boolean {
    return this.needsKey && hasStandIns();
  }

  get #key(): string {
    return this.#isStoodInFor ? `flite ${DEFAULT_FLITE_VOICE}` : this.voiceKey;
  }

  /** Whose voice speaks, and which of the vendor's models. */
  get #spoken(): ServiceModel {
    const [provider = ''] = this.#key.split(' ', 1);
    return { provider: vendorName(provider), model: this.#isStoodInFor ? undefined : this.model };
  }

  /** The vendor in one word, the voice and all its settings: two voices of the same key sound the same. */
  protected abstract get voiceKey(): string;

  /** Which of the vendor's models speaks; undefined where there is only one. */
  protected get model(): string | undefined {
    return undefined;
  }

  /** What it speaks, as a BCP 47 tag: how `*` and `#` are said. Undefined: what it is given. */
  protected get language(): string | undefined {
    return undefined;
  }

  /** When its first sound is due where it has not been heard yet, in milliseconds. Undefined: as of a voice that streams. */
  protected get firstSoundMs(): number | undefined {
    return undefined;
  }

  /**
   * The same voice for another language; itself where it was given a language, or has only one.
   * @param _language a well-formed BCP 47 tag
   */
  inLanguage(_language: string): TtsService {
    return this;
  }

  /** Whether it speaks a language, as far as its vendor tells: true where that is not known. @param language BCP 47 @internal */
  speaks(language: string): boolean {
    const own = this.#voiceIn(language).source.language;
    return own === undefined || isSameLanguage(own, language);
  }

  /** Where it has others, those speak their languages, and itself any other language as its own. */
  #voiceIn(language: string): TtsService {
    if (!this.others) return this.inLanguage(language);
    const known = [...this.others].find(([tag]) => isSameLanguage(tag, language))?.[1];
    return this.others.get(language) ?? known ?? this;
  }

  /** Makes the voice of one call. @param sampleRate of the pipeline; the voice may have another when the vendor has not this one */
  protected abstract createVoice(sampleRate: number, listener: VoiceListener): Voice;

  /**
   * Makes phrases before there is a call, such as the greeting, so that they start at once. For the top of a bot file; the calls of
   * the process find them in the cache. What did not come in one piece is asked for once more.
   * @throws ProviderError when the voice fails
   */
  async preload(texts: readonly string[], { sampleRate = 8_000, language }: PreloadOptions = {}): Promise<void> {
    const cache = this.#cache;
    if (!cache) return;
    const source = language === undefined ? this.source : this.source.inLanguage(canonicalLanguage(language));
    await makePhrases(texts, { source, cache, sampleRate, language });
  }

  override receive(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TTSSpeakFrame) this.#waiting.set(frame, new AsyncResource('voicebot.TTSSpeakFrame'));
    if (frame instanceof TTSSpeakFrame || frame instanceof LLMResponseStartFrame) this.#voices.keepFor(frame);
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
    this.#voices.close();
  }

  #pass(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) this.#begins(frame);
    else if (frame instanceof SpeechLanguageFrame) this.#obey(frame);
    else if (frame instanceof InterruptionFrame) this.#drop(({ isInterruptible }) => isInterruptible);
    else if (frame instanceof CancelFrame) this.#drop(() => true);
    this.push(frame, direction);
    if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#voices.close();
  }

  #begins(start: StartFrame): void {
    const { audioOutSampleRate } = start;
    this.#start = start;
    this.#sampleRate = audioOutSampleRate;
    if (this.#isStoodInFor) noteStandIn(this.timeline, 'voice');
    this.#voices.start(audioOutSampleRate);
    this.timeline?.note({ type: 'service', does: 'text_to_speech', ...this.#spoken });
  }

  #noteSwitch(how: Omit<Extract<BotEntry, { type: 'service_switched' }>, 'type' | 'does'>): void {
    const turn = this.#job?.utterance.response?.turn.id;
    this.timeline?.note({ type: 'service_switched', does: 'text_to_speech', turn, ...how });
  }

  /** What has arrived is said as it was to be; what comes from here on is said in the other language. */
  #obey({ language }: SpeechLanguageFrame): void {
    const problem = this.#voices.speak(language);
    if (problem) this.#report(problem);
  }

  #report(error: Error): void {
    this.broadcast(() => new ErrorFrame(error, false, this.name));
  }

  #begin(frame: LLMResponseStartFrame): void {
    const isWanted = !frame.response.turn.dropped.aborted;
    const answer = { response: frame.response, appendToContext: true };
    this.#answer = isWanted ? this.#beginJob(answer, this.#voices.keptFor(frame)) : undefined;
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
    const source = this.#voices.keptFor(frame);
    const key = phraseKey(source, text, this.#sampleRate);
    const phrase = this.#cache?.get(key);
    const job = this.#beginJob({ appendToContext: frame.appendToContext, text }, source);
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
      if (!frame.unsaid) this.#considerApology(job);
      else if (!job.isSaid) frame.unsaid();
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
    if (!signal.aborted && !answer.isCancelled)
      this.#answer = this.#beginJob({ response, appendToContext: true }, this.#voices.keptFor(answer));
    this.#settle(frame);
  }

  #beginJob(of: Omit<Utterance, 'id'>, source: VoiceSource): UtteranceJob | undefined {
    const voice = this.#voices.next(source);
    if (!voice) return undefined;
    this.#utterances += 1;
    this.#job = new UtteranceJob({
      utterance: { id: this.#utterances, ...of },
      voice,
      language: source.language ?? this.#voices.language,
      push: (frame) => this.push(frame),
      recall: (text) => this.#cache?.get(phraseKey(source, text, this.#sampleRate)),
      timeline: notesOf(of.response?.turn, this.timeline),
    });
    this.#voices.keepFor(this.#job, source);
    return this.#job;
  }

  /** A bot that has no voice and no conversation would leave the caller in silence. */
  #considerApology({ hasFailed }: UtteranceJob): void {
    const isOurs = hasFailed && this.#hasGivenUp && !this.#start?.hasFailureHandler && !this.#hasApologised;
    if (!isOurs || this.#apology === false) return;
    this.#hasApologised = true;
    this.push(
      this.#apology
        ? new LineFrame(this.#apology, 'apology')
        : recordedLine('apology', languageOf(this.#voices.language)),
    );
    this.push(new EndFrame('provider_error'));
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
