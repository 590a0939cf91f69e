import type { ProviderError } from '../../../base/provider-error.js';
import type { NameOf } from '../listed-names.js';
import type { ServiceHealth } from '../service-health.js';
import { ServicesInTurn } from '../services-in-turn.js';
import { meteredVoice } from './metered-voice.js';
import { SpeechInTurn, type SpeechInTurnOwner } from './speech-in-turn.js';
import type { Speech, SpeechListener, Voice, VoiceListener, VoiceSource } from './voice.js';
import { probeVoice } from './voice-probe.js';

/** Voices of several vendors: those that work speak, the earlier in the list first. */
export class VoicesInTurn extends ServicesInTurn<VoiceSource> implements VoiceSource {
  /** @param sources two or more, those that are asked first at the beginning */
  constructor(sources: readonly VoiceSource[], health?: ServiceHealth) {
    super('text_to_speech', sources, probeVoice, health);
  }

  /** Of the voice that would speak now. */
  get key(): string {
    return this.first.key;
  }

  inLanguage(language: string): VoiceSource {
    const others = this.sources.map((source) => source.inLanguage(language));
    return others.every((other, index) => other === this.sources[index]) ? this : new VoicesInTurn(others, this.health);
  }

  create(sampleRate: number, listener: VoiceListener): Voice {
    return new VoiceInTurn(this.sources, this.nameOf, this.health, sampleRate, listener);
  }
}

/** The voices of one call: when one breaks, or brings no sound in time, the next goes on at the word that was cut. */
class VoiceInTurn implements Voice {
  readonly sampleRate: number;
  readonly #voices = new Map<VoiceSource, Voice>();
  readonly #owner: SpeechInTurnOwner;
  #speech: SpeechInTurn | undefined;
  /** The one that spoke last. */
  #last: VoiceSource | undefined;
  #isClosed = false;

  constructor(
    private readonly sources: readonly VoiceSource[],
    private readonly nameOf: NameOf<VoiceSource>,
    private readonly health: ServiceHealth,
    private readonly rate: number,
    private readonly listener: VoiceListener,
  ) {
    this.sampleRate = this.#voiceOf(this.#next() as VoiceSource).sampleRate;
    this.#owner = this.#ownerOf();
  }

  warmUp(): void {
    const source = this.#next();
    if (source) this.#voiceOf(source).warmUp();
  }

  speak(listener: SpeechListener): Speech {
    this.#speech?.cancel();
    this.#speech = new SpeechInTurn(this.#owner, listener);
    return this.#speech;
  }

  close(): void {
    this.#isClosed = true;
    this.#speech?.cancel();
    for (const voice of this.#voices.values()) voice.close();
  }

  #next(tried?: ReadonlySet<VoiceSource>): VoiceSource | undefined {
    const left = tried ? this.sources.filter((source) => !tried.has(source)) : this.sources;
    return this.health.inOrder(left, this.nameOf)[0];
  }

  #voiceOf(source: VoiceSource): Voice {
    const known = this.#voices.get(source);
    if (known) return known;
    const made = source.create(this.rate, {
      troubled: (error) => {
        this.listener.troubled(error.asPassing());
        if (error.isFinal) this.#gaveUp(source, error);
      },
      turnedAway: (error) => this.#turnedAway(source, error),
    });
    const voice = meteredVoice(made, source, this.listener);
    this.#voices.set(source, voice);
    return voice;
  }

  /** Another voice of this vendor is made when it is asked again. */
  #gaveUp(source: VoiceSource, error: ProviderError): void {
    this.#failed(source, error);
    queueMicrotask(() => {
      this.#voices.get(source)?.close();
      this.#voices.delete(source);
      this.#warmUpNext();
    });
  }

  /** Between two stretches of speech, the next one is not asked of a voice that takes no connection. */
  #turnedAway(source: VoiceSource, error: ProviderError): void {
    if (this.#isSpeaking) {
      this.#speech?.turnedAway(source, error);
      return;
    }
    this.#last ??= source;
    this.#failed(source, error);
    queueMicrotask(() => this.#warmUpNext()); // the voice plans its next try first
  }

  get #isSpeaking(): boolean {
    return this.#speech !== undefined && !this.#speech.isOver;
  }

  #warmUpNext(): void {
    const next = this.#next();
    if (next && !this.#isSpeaking && !this.#isClosed && this.health.isWell(this.nameOf(next))) this.warmUp();
  }

  #failed(source: VoiceSource, error: ProviderError): void {
    this.health.failed(this.nameOf(source), error, undefined, error.retryAfterMs);
  }

  #ownerOf(): SpeechInTurnOwner {
    return {
      sampleRate: this.sampleRate,
      playedUntil: 0,
      tellsSaid: new WeakSet(),
      next: (tried) => this.#next(tried),
      voiceOf: (source) => this.#voiceOf(source),
      begins: (source) => {
        const before = this.#last;
        this.#last = source;
        if (before && before !== source) this.#noteReturn(before, source);
      },
      works: (source, trouble, ms) => {
        this.#last = source;
        this.health.works(this.nameOf(source));
        if (!trouble || trouble.source === source) return;
        const { source: from, error } = trouble;
        this.listener.switched?.({ from, to: source, why: error.message, ms, errorType: error.code });
      },
      failed: (source, error) => this.#failed(source, error),
      troubled: (error) => this.listener.troubled(error),
    };
  }

  /** Between two stretches of speech: the one has failed in another call, or the other works again. */
  #noteReturn(from: VoiceSource, to: VoiceSource): void {
    const why = this.health.outageOf(this.nameOf(from))?.why ?? `${to.provider}: works again`;
    this.listener.switched?.({ from, to, why, ms: 0 });
  }
}
