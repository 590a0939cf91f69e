import { ProviderError } from '../../../base/provider-error.js';
import type { NameOf } from '../listed-names.js';
import type { ServiceHealth } from '../service-health.js';
import { ServicesInTurn } from '../services-in-turn.js';
import { SampleBacklog } from './audio-backlog.js';
import { type Ear, type EarListener, type EarSource, longestBacklogMs } from './ear.js';
import { probeEars } from './ears-probe.js';
import { Hearing } from './hearing.js';

/** Without a connection for so long, the next ears listen too, in milliseconds: a short break costs nothing. */
const JOIN_AFTER_MS = 350;
/** So long after the caller's voice, in milliseconds, ears that told no word of it are late. */
const WORDLESS_MS = 900;
/** Or after so many times the longest that words have taken, which may be up to this, in milliseconds. */
const LATE_FACTOR = 1.3;
const MOST_WORDLESS_MS = 4_000;
/** The next ears are kept without a word of the caller's when those before have not worked for so long, in milliseconds. */
const KEEP_AFTER_MS = 2_000;
/** Next ears that heard nothing either are let go after so long, in milliseconds, and for so long none are asked to hear again. */
const NOTHING_HEARD_MS = 4_000;
const NOT_AGAIN_MS = 30_000;
const WATCH_MS = 50;
/** When it took longer, this process stood still, and what came meanwhile is taken first. */
const MOST_BETWEEN_MS = 150;

/** What is wrong with ears that have a connection. */
type Doubt = 'late' | 'wordless';

/** Ears of several vendors: those that work listen, the earlier in the list first. */
export class EarsInTurn extends ServicesInTurn<EarSource> implements EarSource {
  readonly watched = false;

  /** @param sources two or more, those that are asked first at the beginning */
  constructor(sources: readonly EarSource[], health?: ServiceHealth) {
    super('speech_to_text', sources, probeEars, health);
  }

  get backlogMs(): number {
    return longestBacklogMs(this.sources);
  }

  inLanguage(language: string): EarSource {
    const others = this.sources.map((source) => source.inLanguage?.(language) ?? source);
    return others.every((other, index) => other === this.sources[index]) ? this : new EarsInTurn(others, this.health);
  }

  create(sampleRate: number, listener: EarListener): Ear {
    return new EarInTurn(this.sources, this.nameOf, this.health, sampleRate, listener);
  }
}

/**
 * The ears of one call. When the present ones break, are refused, say nothing or give up, the next get the sound since the last final
 * words, and listen beside them; whichever has words first is kept. Nothing is understood twice, for only one of them is listened to.
 */
class EarInTurn implements Ear {
  readonly #backlog: SampleBacklog;
  #present: Hearing;
  /** Those that listen beside the present ones. */
  #beside: Hearing[] = [];
  /** What the present ones are doubted for, and since when there were none that work. */
  #doubt: Doubt | undefined;
  #troubleSince: number | undefined;
  #joinedAt = 0;
  #notAgainBefore = 0;
  /** Those that have failed since any have worked. */
  readonly #tried = new Set<EarSource>();
  /** Those that worked last, where others have taken their place. */
  #replaced: { readonly source: EarSource; readonly error: ProviderError; readonly since: number } | undefined;
  /** There was a voice since the last words, and when it ended. */
  #isWordless = false;
  #voiceEndedAt: number | undefined;
  /** The longest that words have taken after the voice, in milliseconds. */
  #wordsTakeMs = 0;
  #droppedMs = 0;
  #checkedAt = performance.now();
  readonly #watch: NodeJS.Timeout;
  #isOver = false;

  constructor(
    private readonly sources: readonly EarSource[],
    private readonly nameOf: NameOf<EarSource>,
    private readonly health: ServiceHealth,
    private readonly sampleRate: number,
    private readonly listener: EarListener,
  ) {
    this.#backlog = new SampleBacklog(sampleRate, longestBacklogMs(sources));
    this.#present = this.#hearingOf(this.#next() as EarSource);
    this.#open(this.#present);
    this.#watch = setInterval(() => this.#check(), WATCH_MS);
  }

  get droppedMs(): number {
    return this.#droppedMs + (this.#present.ear?.droppedMs ?? 0);
  }

  write(pcm: Int16Array): void {
    if (this.#isOver || pcm.length === 0) return;
    this.#backlog.keep(pcm);
    for (const hearing of this.#all) hearing.write(pcm);
  }

  voice(isHeard: boolean): void {
    this.#isWordless ||= isHeard;
    this.#voiceEndedAt = isHeard ? undefined : performance.now();
  }

  /** The next ears listen beside those that hear nothing, where there are some: it may be music. */
  renew(words: string): void {
    if (this.#beside.length === 0 && !this.#join('wordless')) this.#present.ear?.renew?.(words);
    else this.#present.suspicion = words;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#watch);
    for (const hearing of this.#all) hearing.close();
    this.#backlog.clear();
  }

  get #all(): Hearing[] {
    return [this.#present, ...this.#beside].filter((hearing) => hearing !== undefined);
  }

  get #newest(): Hearing {
    return this.#beside.at(-1) ?? this.#present;
  }

  /** The ears to be asked next; undefined when all have been. */
  #next(): EarSource | undefined {
    const listening = new Set(this.#all.map(({ source }) => source));
    const left = this.sources.filter((source) => !this.#tried.has(source) && !listening.has(source));
    return this.health.inOrder(left, this.nameOf)[0];
  }

  #hearingOf(source: EarSource): Hearing {
    return new Hearing(source, this.#backlog.rewind(), this.sampleRate);
  }

  /** New ears get the sound since the last final words. */
  #open(hearing: Hearing): void {
    const ear = hearing.source.create(this.sampleRate, this.#listenerOf(hearing), longestBacklogMs(this.sources));
    hearing.ear = ear;
    if (hearing.isOver) ear.close();
    for (const pcm of this.#backlog.takeSamples()) hearing.write(pcm);
  }

  #listenerOf(hearing: Hearing): EarListener {
    const isHeard = () => !hearing.isOver && !this.#isOver;
    return {
      interim: (text) => {
        if (isHeard() && this.#told(hearing, text)) this.listener.interim(text);
      },
      final: (text, endsUtterance, untilMs) => {
        const until = this.#backlog.positionAt(untilMs, hearing.origin);
        if (!isHeard() || !this.#told(hearing, text, until)) return;
        this.#backlog.confirm(until);
        this.listener.final(text, endsUtterance, this.#backlog.msOf(until));
      },
      endOfTurn: (is) => {
        if (isHeard() && hearing === this.#present) this.listener.endOfTurn(is);
      },
      used: (...use) => this.listener.used?.(...use),
      connected: (isConnected, error) => {
        hearing.connected(isConnected, error);
        if (isHeard() && error?.isOverload && hearing === this.#newest) this.#join();
      },
      troubled: (error) => {
        if (!isHeard()) return;
        if (error.isFinal) this.#failed(hearing, error);
        else if (hearing === this.#present) this.listener.troubled(error);
      },
    };
  }

  /** @returns whether it is passed on */
  #told(hearing: Hearing, text: string, until?: number): boolean {
    hearing.told(until);
    if (text !== '') this.#hadWords();
    if (hearing === this.#present) {
      if (this.#beside.length > 0 && (text !== '' || this.#doubt !== 'wordless')) this.#recovered();
      this.#works();
      return true;
    }
    if (text === '') return false;
    this.#take(hearing);
    this.#works();
    return true;
  }

  #hadWords(): void {
    if (this.#isWordless && this.#voiceEndedAt !== undefined) {
      const ms = performance.now() - this.#voiceEndedAt;
      this.#wordsTakeMs = Math.max(this.#wordsTakeMs, Math.min(ms, MOST_WORDLESS_MS));
    }
    this.#isWordless = false;
  }

  /** Has the next ears listen too. @returns undefined when there are none */
  #join(doubt?: Doubt): Hearing | undefined {
    const source = this.#next();
    if (!source) return undefined;
    this.#doubt ??= doubt;
    this.#joinedAt = performance.now();
    this.#troubleSince ??= this.#present.downSince ?? this.#joinedAt;
    const hearing = this.#hearingOf(source);
    this.#beside.push(hearing);
    this.#open(hearing);
    return hearing;
  }

  /** The present ears work again, or heard no less than the next: those are let go. */
  #recovered(): void {
    for (const hearing of this.#beside.splice(0)) hearing.close();
    this.#present.suspicion = undefined;
    this.#doubt = undefined;
    this.#troubleSince = undefined;
  }

  /** These are the ears of the call from now on. */
  #take(hearing: Hearing, error = failureOf(this.#present, 'does not answer')): void {
    const before = this.#present;
    const since = this.#troubleSince ?? before.downSince ?? performance.now();
    this.#beside = this.#beside.filter((one) => one !== hearing);
    this.#present = hearing;
    this.#retire(before, error);
    this.#doubt = undefined;
    this.#replaced ??= { source: before.source, error, since };
    if (hearing.works) {
      this.#recovered();
      this.#backlog.confirm(hearing.doneUntil);
    }
  }

  #retire(hearing: Hearing, error: ProviderError): void {
    if (this.#tried.has(hearing.source)) return;
    this.#droppedMs += hearing.ear?.droppedMs ?? 0;
    hearing.close();
    this.#tried.add(hearing.source);
    this.health.failed(this.nameOf(hearing.source), error, undefined, error.retryAfterMs);
  }

  /** The present ears have told something. */
  #works(): void {
    this.#tried.clear();
    this.#troubleSince = undefined;
    this.health.works(this.nameOf(this.#present.source));
    if (!this.#replaced) return;
    const { source: from, error, since } = this.#replaced;
    this.#replaced = undefined;
    const ms = Math.round(performance.now() - since);
    this.listener.switched?.({ from, to: this.#present.source, error, ms });
  }

  /** Ears have given up. */
  #failed(hearing: Hearing, error: ProviderError): void {
    if (hearing !== this.#present) {
      this.#beside = this.#beside.filter((one) => one !== hearing);
      this.#retire(hearing, error);
      this.#join();
      return;
    }
    const next = this.#beside.find(({ isConnected }) => isConnected) ?? this.#beside[0] ?? this.#join();
    if (next) this.#take(next, error);
    else {
      this.#retire(hearing, error);
      this.close();
      this.listener.troubled(error);
    }
  }

  #check(): void {
    const now = performance.now();
    const stoodStill = now - this.#checkedAt > MOST_BETWEEN_MS;
    this.#checkedAt = now;
    if (stoodStill) return;
    const present = this.#present;
    const newest = this.#newest;
    const isDown = !newest.isConnected && newest.isConnected !== undefined;
    const isLong = newest.downSince !== undefined && now - Math.max(newest.downSince, this.#joinedAt) >= JOIN_AFTER_MS;
    if (isDown && isLong) this.#join();
    else if (this.#beside.length === 0) this.#doubtPresent(now);
    if (present.works && this.#replaced) this.#works();
    if (this.#beside.length === 0) return;
    const sinceJoin = now - this.#joinedAt;
    const other = this.#beside.find(({ works }) => works);
    if (!present.works && this.#doubt === 'wordless') this.#doubt = undefined;
    if (this.#doubt === 'wordless') {
      if (sinceJoin < NOTHING_HEARD_MS) return;
      this.#notAgainBefore = now + NOT_AGAIN_MS;
      this.#isWordless = false;
      this.#recovered();
    } else if (present.works && present.lateMs < 0) this.#recovered();
    else if (other && now - (this.#troubleSince ?? now) >= KEEP_AFTER_MS) this.#take(other);
  }

  /** They have a connection, and may hear nothing all the same. */
  #doubtPresent(now: number): void {
    if (this.#present.lateMs >= 0) {
      this.#troubleSince = now - this.#present.lateMs;
      this.#join('late');
    } else if (this.#isWordless && this.#voiceEndedAt !== undefined && now >= this.#notAgainBefore) {
      const limitMs = Math.max(WORDLESS_MS, LATE_FACTOR * this.#wordsTakeMs);
      if (now - this.#voiceEndedAt >= limitMs) this.#join('wordless');
    }
  }
}

function failureOf({ lastError, isConnected, source, suspicion }: Hearing, words: string): ProviderError {
  if (lastError && !isConnected) return lastError;
  return new ProviderError(source.provider, 'VB_PROVIDER_FAILED', suspicion ?? words, {
    hint: `check whether ${source.provider} has an outage`,
  });
}
