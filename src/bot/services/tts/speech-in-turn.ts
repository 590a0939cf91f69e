import { afterRunning } from '../../../base/async/running-time.js';
import { Resampler } from '../../../base/audio/resampler.js';
import { ProviderError } from '../../../base/provider-error.js';
import type { TimedWord } from '../../pipeline/frames/index.js';
import { SpeechSoFar } from './speech-so-far.js';
import { dueMsOf, tookTooLong, tookToSound } from './usual-first-sound.js';
import type { Speech, SpeechListener, Voice, VoiceSource } from './voice.js';

/** So long after it was asked for its first sound a voice is late, in milliseconds, */
const FIRST_MS = 600;
/** or so long after that was due, where it is usually slow; */
const LATE_FIRST_MS = 300;
/** and so long after its last sound. */
const LATE_MS = 400;
/** So long before the caller would hear nothing, the next voice is asked, in milliseconds. */
const LEAD_MS = 300;
/** How often the speech of one text may be cut, for each voice. */
const MOST_CUTS = 3;

/** Why another voice goes on. */
export interface VoiceTrouble {
  readonly source: VoiceSource;
  readonly error: ProviderError;
}

/** What a stretch of speech asks of the voices of its call. */
export interface SpeechInTurnOwner {
  /** Hertz. */
  readonly sampleRate: number;
  /** Until when the caller has something to hear, in monotonic milliseconds. */
  playedUntil: number;
  /** Voices that tell when a text has been said. */
  readonly tellsSaid: WeakSet<VoiceSource>;
  /** Which voice is asked next; undefined when all have been. */
  next(tried: ReadonlySet<VoiceSource>): VoiceSource | undefined;
  voiceOf(source: VoiceSource): Voice;
  /** It is asked first. */
  begins(source: VoiceSource): void;
  /** It has brought sound. @param ms how long there was none that was to be there */
  works(source: VoiceSource, trouble: VoiceTrouble | undefined, ms: number): void;
  failed(source: VoiceSource, error: ProviderError): void;
  troubled(error: ProviderError): void;
}

/** One stretch of speech, said by one voice after the other where they fail. */
export class SpeechInTurn implements Speech {
  readonly #soFar: SpeechSoFar;
  #said = 0;
  #isEnded = false;
  #isOver = false;
  /** Which voice speaks, and what it was asked for; counts, so that nothing of one before is taken for its. */
  #run = 0;
  #source!: VoiceSource;
  #speech: Speech | undefined;
  #resampler: Resampler | undefined;
  /** Texts and milliseconds that were there when it began. */
  #base = { said: 0, ms: 0 };
  /** The cut word has been told: the first of the next voice is that one. */
  #skipsWord = false;
  /** When words are spoken has been told. */
  #tellsWords = false;
  #tried = new Set<VoiceSource>();
  #cuts = 0;
  #trouble: VoiceTrouble | undefined;
  /** When sound was first waited for that has not come, in monotonic milliseconds. */
  #silentSince = 0;
  /** Since when sound is waited for, and whether some came since a text was last asked for. Monotonic milliseconds. */
  #waitsSince = performance.now();
  #isAnswered = false;
  #hasSounded = false;
  #stopWatch = () => {};

  constructor(
    private readonly owner: SpeechInTurnOwner,
    private readonly listener: SpeechListener,
  ) {
    const first = owner.next(this.#tried) as VoiceSource;
    this.#soFar = new SpeechSoFar(first.key, owner.sampleRate);
    owner.begins(first);
    this.#begin(first);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  say(text: string): void {
    if (this.#isOver || this.#isEnded) return;
    if (this.#soFar.texts.length === this.#said) this.#waitsSince = performance.now();
    this.#isAnswered = false;
    this.#soFar.add(text);
    this.#speech?.say(text);
    this.#watchOver();
  }

  end(): void {
    if (this.#isOver || this.#isEnded) return;
    this.#isEnded = true;
    this.#speech?.end();
    this.#watchOver();
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#close();
    this.#speech?.cancel();
    this.owner.playedUntil = performance.now();
  }

  /** A vendor takes no connection: the next is asked at once, unless that one has spoken; or will be, before there is a text. */
  turnedAway(source: VoiceSource, error: ProviderError): void {
    const next = this.#another();
    if (this.#isOver || source !== this.#source || this.#hasSounded || !next) return;
    if (this.#soFar.texts.length > this.#said) {
      this.#failed(error);
      return;
    }
    this.#tried.add(source);
    this.#speech?.cancel();
    this.owner.failed(source, error);
    this.owner.begins(next);
    this.#begin(next);
  }

  #begin(source: VoiceSource): void {
    this.#run += 1;
    const run = this.#run;
    const { owner } = this;
    const voice = owner.voiceOf(source);
    this.#source = source;
    this.#soFar.voice = source.key;
    this.#resampler =
      voice.sampleRate === owner.sampleRate ? undefined : new Resampler(voice.sampleRate, owner.sampleRate);
    this.#base = { said: this.#said, ms: this.#soFar.ms };
    this.#waitsSince = performance.now();
    this.#isAnswered = false;
    this.#hasSounded = false;
    const speech = voice.speak(this.#listenerOf(run, source));
    this.#speech = speech;
    for (const text of this.#soFar.texts.slice(this.#said)) speech.say(text);
    if (this.#isEnded) speech.end();
    if (run === this.#run) this.#watchOver();
  }

  #listenerOf(run: number, source: VoiceSource): SpeechListener {
    const unlessOver = <Args extends unknown[]>(act: (...args: Args) => void) => {
      return (...args: Args): void => {
        if (run === this.#run && !this.#isOver) act(...args);
      };
    };
    return {
      audio: unlessOver((pcm) => this.#audio(this.#resampler?.process(pcm) ?? pcm)),
      words: unlessOver((words) => this.#words(words)),
      said: unlessOver((count) => {
        this.owner.tellsSaid.add(source);
        this.#setSaid(this.#base.said + count);
        this.#watchOver();
      }),
      repeats: unlessOver(() => this.listener.repeats()),
      done: unlessOver(() => this.#finish()),
      failed: unlessOver((error) => this.#failed(error)),
    };
  }

  #audio(pcm: Int16Array): void {
    const now = performance.now();
    if (!this.#hasSounded) this.#sounds(now);
    this.#isAnswered = true;
    this.#waitsSince = now;
    this.owner.playedUntil = Math.max(now, this.owner.playedUntil) + (pcm.length * 1_000) / this.owner.sampleRate;
    this.#watchOver();
    if (pcm.length === 0) return;
    this.#soFar.audio(pcm);
    this.listener.audio(pcm);
  }

  /** The first sound of this voice. */
  #sounds(now: number): void {
    this.#hasSounded = true;
    tookToSound(this.#source, now - this.#waitsSince);
    const silentSince = Math.max(this.#silentSince, this.owner.playedUntil);
    this.owner.works(this.#source, this.#trouble, Math.max(0, Math.round(now - silentSince)));
    this.#trouble = undefined;
  }

  #words(words: readonly TimedWord[]): void {
    const { ms } = this.#base;
    this.#tell(words.map(({ text, startMs, endMs }) => ({ text, startMs: startMs + ms, endMs: endMs + ms })));
  }

  #tell(words: readonly TimedWord[]): void {
    if (words.length === 0) return;
    this.#tellsWords = true;
    this.#soFar.words(words);
    const fresh = this.#skipsWord ? words.slice(1) : words;
    this.#skipsWord = false;
    if (fresh.length > 0) this.listener.words(fresh);
  }

  #setSaid(count: number): void {
    if (count <= this.#said) return;
    this.#estimate();
    this.#said = count;
    this.#cuts = 0;
    this.#soFar.saidUntil(count);
    this.listener.said(count);
  }

  /** A voice that tells no words has gone on in the place of one that does. */
  #estimate(): void {
    if (!this.#tellsWords) return;
    this.#tell(this.#soFar.estimated());
    this.#skipsWord = false;
  }

  #failed(error: ProviderError): void {
    this.#run += 1;
    this.#stopWatch();
    this.#speech?.cancel();
    this.owner.failed(this.#source, error);
    if (!this.#trouble) this.#silentSince = this.#waitsSince;
    this.#trouble ??= { source: this.#source, error };
    if (this.#hasSounded) this.#tried = new Set();
    this.#tried.add(this.#source);
    this.#cuts += 1;
    this.#cut();
    if (this.#isEnded && this.#said === this.#soFar.texts.length) {
      this.#finish();
      return;
    }
    const next = this.#cuts > MOST_CUTS * this.#tried.size ? undefined : this.owner.next(this.#tried);
    if (next) this.#begin(next);
    else {
      this.#close();
      this.owner.troubled(error.asFinal());
      this.listener.failed(error.asFinal());
    }
  }

  /** What follows is said by another voice, from the word on that was cut. */
  #cut(): void {
    this.listener.repeats(); // also where nothing was heard: what was asked of one voice is not kept in the sound of another
    if (!this.#soFar.isWithinText) return;
    const { said, isTold } = this.#soFar.cut();
    this.#setSaid(said);
    this.#skipsWord = isTold;
  }

  #another(): VoiceSource | undefined {
    return this.owner.next(new Set([...(this.#hasSounded ? [] : this.#tried), this.#source]));
  }

  /** Waits for sound: what the caller would miss is asked of the next voice in time, where there is one. */
  #watchOver(): void {
    this.#stopWatch();
    const isOwed =
      this.#soFar.texts.length > this.#said &&
      (!this.#isAnswered || this.#isEnded || this.owner.tellsSaid.has(this.#source));
    if (this.#isOver || !isOwed || !this.#another()) return;
    const since = this.#waitsSince;
    const limitMs = this.#isAnswered ? LATE_MS : Math.max(FIRST_MS, dueMsOf(this.#source) + LATE_FIRST_MS);
    const until = Math.max(since + limitMs, this.owner.playedUntil - LEAD_MS);
    this.#stopWatch = afterRunning(until - performance.now(), () => this.#late(performance.now() - since));
  }

  #late(ms: number): void {
    const { provider } = this.#source;
    if (!this.#isAnswered) tookTooLong(this.#source, ms);
    const error = new ProviderError(provider, 'VB_PROVIDER_FAILED', `no audio for ${Math.round(ms)} ms`);
    this.owner.troubled(error);
    this.#failed(error);
  }

  #finish(): void {
    this.#estimate();
    const rest = this.#resampler?.flush();
    if (rest && rest.length > 0) {
      this.#soFar.audio(rest);
      this.listener.audio(rest);
    }
    this.#close();
    this.listener.done();
  }

  #close(): void {
    this.#isOver = true;
    this.#stopWatch();
  }
}
