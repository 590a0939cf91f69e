import { encodeMulaw } from '../../../base/audio/mulaw.js';
import { Resampler } from '../../../base/audio/resampler.js';
import type { ProviderError } from '../../../base/provider-error.js';
import { hostOf } from '../listed-names.js';
import { VendorLink } from '../vendor-link.js';
import { connectionFailure } from '../vendor-socket.js';
import { AudioBacklog, bytesOf } from './audio-backlog.js';
import { BACKLOG_MS, type Ear, type EarListener, type EarSource } from './ear.js';
import type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';

/** Longest wait for the vendor to accept the connection, in milliseconds: time is left for another attempt. */
const CONNECT_LIMIT_MS = 2_500;
/** The first connection after a break has at least this long to prove itself, in milliseconds. */
const PROOF_MS = 1_750;
/** A connection that lasted this long was not part of a series of failures, in milliseconds. */
const STEADY_MS = 10_000;
const WATCH_MS = 250;
/** A connection that was held this long counts as alive, in milliseconds. */
const HELD_MS = 1_000;
/** How much sound is sent before it is told how much was, in milliseconds. */
const TELL_USE_MS = 5_000;
/** More audio than this waiting in the socket means that the vendor does not take it, in milliseconds. */
const MAX_UNTAKEN_MS = 15_000;

/** Ears on a vendor's WebSocket. @param giveUpAfterMs longest time without a connection that works */
export function socketEars(dialect: SttDialect, giveUpAfterMs: number): EarSource {
  const ears: EarSource = {
    provider: dialect.account.provider.name,
    model: dialect.model,
    host: hostOf(dialect.account.baseUrl),
    language: dialect.language,
    inLanguage: (language) => {
      const other = dialect.inLanguage?.(language) ?? dialect;
      return other === dialect ? ears : socketEars(other, giveUpAfterMs);
    },
    answersSilence: dialect.answersWithinMs !== undefined,
    backlogMs: dialect.backlogMs,
    create: (sampleRate, listener, backlogMs = 0) => {
      const most = Math.max(backlogMs, dialect.backlogMs ?? BACKLOG_MS);
      return new SocketEar(dialect, sampleRate, giveUpAfterMs, most, listener);
    },
  };
  return ears;
}

/**
 * A vendor of speech to text for the length of a call. What is said is neither lost nor understood twice when a connection
 * breaks: the audio after the last final result is sent again on the next.
 */
class SocketEar implements Ear {
  readonly #link: VendorLink<SttResult>;
  readonly #backlog: AudioBacklog;
  readonly #format: AudioFormat;
  /** To the rate of the vendor. */
  readonly #resampler: Resampler;
  /** Where the audio of this connection began in the audio of the call, in bytes. */
  #origin = 0;
  #openedAt = 0;
  /** Audio since the vendor last said anything, and when it began. */
  #unansweredBytes = 0;
  #unansweredSince = 0;
  /** Audio that was sent, and not told of. */
  #untoldBytes = 0;
  #watch: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    private readonly dialect: SttDialect,
    sampleRate: number,
    giveUpAfterMs: number,
    backlogMs: number,
    private readonly listener: EarListener,
  ) {
    const format = dialect.format(sampleRate);
    this.#format = format;
    this.#resampler = new Resampler(sampleRate, format.sampleRate);
    this.#backlog = new AudioBacklog(format, backlogMs);
    const { account, keepAlive, farewell } = dialect;
    this.#link = new VendorLink<SttResult>(
      {
        account,
        ...dialect.request(format),
        ...(dialect.connect && { connect: (options) => dialect.connect?.(format, options) ?? Promise.resolve() }),
        keepAlive,
        farewell: () => (farewell ? [farewell] : []),
        parse: (data) => [dialect.parse(String(data))].flat(),
        connectLimitMs: CONNECT_LIMIT_MS,
        giveUpAfterMs,
        proofMs: PROOF_MS,
        steadyMs: STEADY_MS,
      },
      {
        opened: () => this.#onOpen(),
        failed: (error) => listener.connected?.(false, error),
        received: (result) => this.#onResult(result),
        mended: (error) => listener.troubled(error),
        gaveUp: (error) => this.#fail(error),
      },
    );
    listener.connected?.(false);
    this.#link.open();
  }

  /** Audio that no connection has taken, in milliseconds. */
  get droppedMs(): number {
    return this.#backlog.msOf(this.#backlog.droppedBytes);
  }

  write(pcm: Int16Array): void {
    if (this.#isOver || pcm.length === 0) return;
    const audio = this.#resampler.process(pcm);
    if (audio.length > 0) this.#backlog.push(encode(audio, this.#format));
    if (this.#link.isOpen) this.#sendBacklog();
  }

  /** Ends it in good order; nothing more is told. Safe at any time. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#tellUse();
    clearInterval(this.#watch);
    this.#link.close();
    this.#backlog.clear();
  }

  /** Another connection takes the place of this one, which hears nothing. */
  renew(words: string): void {
    if (this.#link.isOpen) this.#renew(words);
  }

  #onOpen(): void {
    this.listener.connected?.(true);
    this.#openedAt = performance.now();
    this.#unansweredBytes = 0;
    clearInterval(this.#watch);
    this.#watch = setInterval(() => this.#check(), WATCH_MS);
    this.#origin = this.#backlog.rewind();
    this.#sendBacklog();
  }

  #sendBacklog(): void {
    for (const audio of this.#backlog.takeUnsent()) this.#send(audio);
    if (this.#backlog.msOf(this.#link.unsentBytes) > MAX_UNTAKEN_MS) this.#renew('does not take the audio');
  }

  #send(audio: Uint8Array): void {
    this.#link.send(this.dialect.encode ? this.dialect.encode(audio) : audio);
    if (this.#unansweredBytes === 0) this.#unansweredSince = performance.now();
    this.#unansweredBytes += audio.length;
    this.#untoldBytes += audio.length;
    if (this.#backlog.msOf(this.#untoldBytes) >= TELL_USE_MS) this.#tellUse();
  }

  #tellUse(): void {
    const { account, model } = this.dialect;
    const seconds = this.#backlog.msOf(this.#untoldBytes) / 1_000;
    this.#untoldBytes = 0;
    if (seconds > 0) this.listener.used?.(seconds, { provider: account.provider.name, model });
  }

  #onResult(result: SttResult): void {
    this.#unansweredBytes = 0;
    if (result.type === 'error') {
      this.#renew(result.words);
      return;
    }
    this.#link.markAlive();
    if (result.type === 'interim') this.listener.interim(result.text);
    if (result.type === 'end_of_turn') this.listener.endOfTurn(result.is);
    if (result.type !== 'final') return;
    const { text, endsUtterance, untilMs } = result;
    const until = this.#backlog.positionAt(untilMs, this.#origin);
    this.#backlog.confirm(until);
    this.listener.final(text, endsUtterance, this.#backlog.msOf(until));
  }

  /** Whether the vendor answers to what it hears. */
  #check(): void {
    if (!this.#link.isOpen) return;
    const { answersWithinMs } = this.dialect;
    const now = performance.now();
    const unansweredMs = this.#backlog.msOf(this.#unansweredBytes);
    if (answersWithinMs !== undefined && Math.min(unansweredMs, now - this.#unansweredSince) >= answersWithinMs) {
      this.#renew(`said nothing to ${Math.round(unansweredMs)} ms of audio`, this.#unansweredSince);
    } else if (now - this.#openedAt >= HELD_MS && (answersWithinMs === undefined || unansweredMs < HELD_MS)) {
      this.#link.markAlive();
    }
  }

  #renew(words: string, since?: number): void {
    this.#link.renew(connectionFailure(this.dialect.account, words), since);
  }

  #fail(error: ProviderError): void {
    this.close();
    this.listener.troubled(error);
  }
}

function encode(pcm: Int16Array, { encoding }: AudioFormat): Uint8Array {
  return encoding === 'PCMU' ? encodeMulaw(pcm) : bytesOf(pcm);
}
