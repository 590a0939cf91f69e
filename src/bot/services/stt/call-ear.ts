import type { VoicebotError } from '../../../base/errors.js';
import { subtag } from '../../pipeline/language.js';
import { SpokenLanguage } from '../spoken-language.js';
import { SampleBacklog } from './audio-backlog.js';
import { BACKLOG_MS, type Ear, type EarListener, type EarSource } from './ear.js';

/** The ears of one call, for the language that is spoken: others get the sound since the last final words, and go on. */
export class CallEar {
  #source: EarSource;
  #ear: Ear | undefined;
  #backlog: SampleBacklog | undefined;
  /** Where the sound that the present ears have got begins in that of the call, in bytes. */
  #origin = 0;
  #droppedMs = 0;
  /** Set when the pipeline starts. */
  #sampleRate = 0;
  #listener: EarListener | undefined;
  #isOver = false;
  /** By language, without its region. */
  readonly #sources = new Map<string, EarSource>();
  readonly #spoken = new SpokenLanguage('the ears understand');

  constructor(private readonly own: EarSource) {
    this.#source = own;
  }

  /** Whether they have been made. */
  get isOpen(): boolean {
    return this.#ear !== undefined;
  }

  /** Audio no vendor ever got, in milliseconds. */
  get droppedMs(): number {
    return this.#droppedMs + (this.#ear?.droppedMs ?? 0);
  }

  /** The pipeline starts. @param sampleRate of what will be written, in hertz */
  open(sampleRate: number, listener: EarListener): void {
    if (this.#isOver) return;
    this.#sampleRate = sampleRate;
    this.#listener = listener;
    if (this.own.inLanguage) this.#backlog = new SampleBacklog(sampleRate, this.own.backlogMs ?? BACKLOG_MS);
    this.#ear = this.#listen(listener);
  }

  write(pcm: Int16Array): void {
    if (!this.#ear) return;
    this.#backlog?.keep(pcm);
    this.#ear.write(pcm);
  }

  /** The caller's voice begins or ends. */
  voice(isHeard: boolean): void {
    this.#ear?.voice?.(isHeard);
  }

  /** They hear nothing: as of {@link Ear.renew}. */
  renew(words: string): void {
    this.#ear?.renew?.(words);
  }

  /** Another language is spoken from here on. @returns a warning, once for each language that they do not understand */
  speak(language: string): VoicebotError | undefined {
    const key = subtag(language);
    const source = this.#sources.get(key) ?? this.own.inLanguage?.(language) ?? this.own;
    this.#sources.set(key, source);
    const isOther = source !== this.#source;
    this.#source = source;
    if (isOther && this.#ear && this.#listener && !this.#isOver) this.#replace(this.#ear, this.#listener);
    return this.#spoken.problemWith(language, this.#source.language);
  }

  /** Lets go of everything, in good order; nothing more is told. Safe at any time, and twice. */
  close(): void {
    this.#isOver = true;
    this.#ear?.close();
    this.#backlog?.clear();
  }

  #replace(before: Ear, listener: EarListener): void {
    if (before.become?.(this.#source)) return;
    const backlog = this.#backlog;
    before.close();
    this.#droppedMs += before.droppedMs;
    this.#origin = backlog?.rewind() ?? 0;
    const ear = this.#listen(listener);
    this.#ear = ear;
    for (const pcm of backlog?.takeSamples() ?? []) ear.write(pcm);
  }

  #listen(listener: EarListener): Ear {
    const final: EarListener['final'] = (text, endsUtterance, untilMs) => {
      const backlog = this.#backlog;
      if (!backlog) return listener.final(text, endsUtterance, untilMs);
      const until = backlog.positionAt(untilMs, this.#origin);
      backlog.confirm(until);
      listener.final(text, endsUtterance, backlog.msOf(until));
    };
    return this.#source.create(this.#sampleRate, { ...listener, final }, this.own.backlogMs);
  }
}
