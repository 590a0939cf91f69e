import { afterRunning } from '../../../base/async/running-time.js';
import { ProviderError } from '../../../base/provider-error.js';
import type { TimedWord } from '../../pipeline/frames/index.js';
import { SpeechDecoder } from './speech-decoder.js';
import { SpeechSoFar } from './speech-so-far.js';
import type { TtsCodec, TtsDialect, TtsEvent } from './tts-dialect.js';
import type { Speech, SpeechListener } from './voice.js';

/** How much longer the second wait is; both together are less than callers bear. */
const LAST_PATIENCE = 1.1;
/** How much of a text is said again that is asked for from its start, in milliseconds: no two times does a voice speak equally fast. */
const SAID_AGAIN_MS = 120;
/** How often a text is asked for again of which some audio came. */
const MAX_BREAKS = 3;

/** What a stretch of speech asks of its voice. */
export interface SpeechOwner {
  /** Longest wait for audio before it is asked for again, in milliseconds. */
  readonly patienceMs: number;
  isConnected(): boolean;
  /** Connects, unless that has been done. */
  connect(): void;
  /** Sends what `order` makes of the codec, when there is a connection. */
  send(order: (codec: TtsCodec) => string[]): void;
  /** What was asked for came: the connection works. */
  works(): void;
  /** The connection is of no use: opens another. */
  renew(error: ProviderError): void;
  nextStream(): string;
  troubled(error: ProviderError): void;
  gaveUp(error: ProviderError): void;
  over(speech: SocketSpeech): void;
}

/** One stretch of speech, asked for in one stream of the vendor, or in several when the connection broke or the text paused. */
export class SocketSpeech implements Speech {
  #stream: string | undefined;
  #decoder: SpeechDecoder;
  /** Texts that were asked for, and of which all audio has come. */
  #asked = 0;
  #said = 0;
  #isEnded = false;
  #isEndAsked = false;
  /** The vendor says when a text was said. */
  #tellsSaid = false;
  /** Whether the stream has given audio since a text was last asked for. */
  #isAnswered = false;
  #samples = 0;
  /** Samples that were there when the stream began. */
  #streamBase = 0;
  readonly #soFar: SpeechSoFar;
  /** Words whose audio has not come. */
  #words: TimedWord[] = [];
  /** The first word of the stream was told before the connection broke. */
  #skipsWord = false;
  /** Samples of the stream that were heard before the connection broke. */
  #toDrop = 0;
  /** How often the vendor hung, one time after the other. */
  #hangs = 0;
  /** How often the connection broke in the middle of the same text. */
  #breaks = 0;
  /** That this text makes trouble has been told. */
  #isTroubled = false;
  #heardAt = 0;
  #stopWatch = () => {};
  #isOver = false;

  constructor(
    private readonly dialect: TtsDialect,
    private readonly listener: SpeechListener,
    private readonly owner: SpeechOwner,
  ) {
    this.#decoder = new SpeechDecoder(dialect.format.encoding);
    this.#soFar = new SpeechSoFar(undefined, dialect.format.sampleRate);
  }

  say(text: string): void {
    if (this.#isOver || this.#isEnded) return;
    this.#soFar.add(text);
    this.resume();
  }

  end(): void {
    if (this.#isOver || this.#isEnded) return;
    this.#isEnded = true;
    this.resume();
    this.#finishIfSaid();
  }

  cancel(): void {
    if (this.#isOver) return;
    const stream = this.#stream;
    if (stream) this.owner.send((codec) => codec.cancel(stream));
    this.#close();
  }

  fail(error: ProviderError): void {
    if (this.#isOver) return;
    this.#close();
    this.listener.failed(error);
  }

  /** Asks for what has not been asked for, as soon as there is a connection. */
  resume(): void {
    if (this.#isOver) return;
    if (this.owner.isConnected()) this.#ask();
    else this.owner.connect();
  }

  receive(event: TtsEvent): void {
    if (this.#isOver || (event.stream !== undefined && event.stream !== this.#stream) || !this.#stream) {
      if (event.type === 'error' && event.stream === undefined) this.#refused(event);
      return;
    }
    this.#heardAt = performance.now();
    if (event.type === 'audio') this.#audio(event.bytes);
    else if (event.type === 'words') this.#takeWords(event);
    else if (event.type === 'said') {
      this.#tellsSaid = true;
      this.#setSaid(Math.min(this.#said + event.texts, this.#asked));
    } else if (event.type === 'done') this.#streamDone();
    else this.#refused(event);
  }

  /** The connection broke: what has not been said is asked for again on the next, from the word on that was cut. */
  interrupted(error: ProviderError): void {
    if (this.#isOver) return;
    const wasOwed = this.#asked > this.#said;
    const wasAnswered = this.#isAnswered;
    this.#forgetStream();
    this.#finishIfSaid();
    if (!wasOwed || this.#isOver) return;
    if (wasAnswered) this.#breaks += 1;
    if (this.#breaks > MAX_BREAKS) this.owner.gaveUp(error.asFinal());
    else if (!this.#isTroubled) this.owner.troubled(error);
    this.#isTroubled = true;
  }

  #ask(): void {
    if (this.#stream && this.#isStale()) this.#forgetStream();
    if (this.#soFar.texts.length > this.#asked) {
      this.#stream ??= this.owner.nextStream();
      const stream = this.#stream;
      for (const text of this.#soFar.texts.slice(this.#asked)) this.owner.send((codec) => codec.say(stream, text));
      this.#asked = this.#soFar.texts.length;
      this.#isAnswered = false;
    }
    const stream = this.#stream;
    if (this.#isEnded && stream && !this.#isEndAsked) {
      this.owner.send((codec) => codec.end(stream));
      this.#isEndAsked = true;
    }
    this.#watchOver();
  }

  /** Whether the vendor has closed the stream by now, because nothing more was asked of it. */
  #isStale(): boolean {
    const { streamIdleMs } = this.dialect;
    if (streamIdleMs === undefined || this.#said < this.#asked) return false;
    return performance.now() - this.#heardAt > streamIdleMs;
  }

  #audio(bytes: Uint8Array): void {
    const all = this.#decoder.decode(bytes);
    if (all.length === 0) return;
    this.owner.works();
    this.#hangs = 0;
    this.#isAnswered = true;
    this.#watchOver();
    const pcm = all.subarray(Math.min(all.length, this.#toDrop));
    this.#toDrop -= all.length - pcm.length;
    if (pcm.length === 0) return;
    this.#samples += pcm.length;
    this.#soFar.audio(pcm);
    this.listener.audio(pcm);
    this.#tellWords(this.#soFar.ms);
  }

  #takeWords({ words }: Extract<TtsEvent, { type: 'words' }>): void {
    const baseMs = (this.#streamBase * 1_000) / this.dialect.format.sampleRate;
    const moved = ({ text, startMs, endMs }: TimedWord) => ({
      text,
      startMs: startMs + baseMs,
      endMs: endMs + baseMs,
    });
    this.#words.push(...words.map(moved));
    this.#tellWords(this.#soFar.ms);
  }

  /** Words are told with their audio: what has not come may never come. */
  #tellWords(untilMs: number): void {
    const next = this.#words.findIndex(({ startMs }) => startMs > untilMs);
    const words = this.#words.splice(0, next < 0 ? this.#words.length : next);
    if (words.length === 0 || this.#isOver) return;
    this.#soFar.words(words);
    const fresh = this.#skipsWord ? words.slice(1) : words;
    this.#skipsWord = false;
    if (fresh.length > 0) this.listener.words(fresh);
  }

  #setSaid(count: number): void {
    if (count === this.#said) return;
    this.#tellWords(count === this.#asked ? Number.POSITIVE_INFINITY : this.#soFar.ms);
    this.#soFar.saidUntil(count);
    this.#said = count;
    this.#toDrop = 0;
    this.#breaks = 0;
    this.#isTroubled = false;
    this.#isAnswered = false;
    this.listener.said(count);
    this.#watchOver();
    this.#finishIfSaid();
  }

  #streamDone(): void {
    // A stream may end by itself, just when more was asked of it.
    if (this.#isEndAsked || !this.#tellsSaid) this.#setSaid(this.#asked);
    if (this.#isOver) return;
    this.#forgetStream();
    if (this.#isEnded && this.#said === this.#soFar.texts.length) this.#finish();
    else this.resume();
  }

  #finishIfSaid(): void {
    if (!this.#isEnded || this.#said < this.#soFar.texts.length) return;
    if (this.dialect.endsWithTexts || !this.#stream) this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#tellWords(Number.POSITIVE_INFINITY);
    this.#close();
    this.listener.done();
  }

  #refused({ message, status }: Extract<TtsEvent, { type: 'error' }>): void {
    const { provider } = this.dialect.account;
    const error = status
      ? ProviderError.ofStatus(provider, status, message)
      : new ProviderError(provider.name, 'VB_PROVIDER_FAILED', message);
    // A stream that has spoken before is too old, or the like: another one may do.
    if (error.isRefusal && this.#samples === this.#streamBase) this.owner.gaveUp(error.asFinal());
    else if (this.#asked === this.#said) this.#streamDone();
    else this.owner.renew(error);
  }

  #forgetStream(): void {
    this.#stopWatch();
    this.#stream = undefined;
    this.#isEndAsked = false;
    if (this.#asked > this.#said && this.#soFar.isWithinText) this.#cut();
    this.#asked = this.#said;
    this.#streamBase = this.#samples;
    this.#decoder = new SpeechDecoder(this.dialect.format.encoding);
  }

  /** A voice that tells its words is asked for those that were not said, another for the whole text, of which the beginning is dropped. */
  #cut(): void {
    this.listener.repeats();
    this.#words = [];
    if (!this.#soFar.hasWords) {
      const heardMs = Math.max(0, this.#soFar.msWithinText - SAID_AGAIN_MS);
      this.#toDrop = Math.round((heardMs * this.dialect.format.sampleRate) / 1_000);
      return;
    }
    const { said, isTold } = this.#soFar.cut();
    this.#skipsWord = isTold;
    this.#setSaid(said);
  }

  /** Waits for what the vendor owes: audio of what was asked for, and then the rest of it. */
  #watchOver(): void {
    this.#stopWatch();
    const isOwed = this.#asked > this.#said && (!this.#isAnswered || this.#isEndAsked);
    if (this.#isOver || !this.#stream || !(isOwed || this.#isEndAsked)) return;
    const limitMs = this.owner.patienceMs * (this.#hangs === 0 ? 1 : LAST_PATIENCE);
    this.#stopWatch = afterRunning(limitMs, () => this.#hung(limitMs));
  }

  #hung(forMs: number): void {
    const { name } = this.dialect.account.provider;
    const error = new ProviderError(name, 'VB_PROVIDER_FAILED', `no audio for ${forMs} ms`);
    this.#hangs += 1;
    if (this.#hangs > 1 && this.#asked > this.#said) this.owner.gaveUp(error.asFinal());
    else this.owner.renew(error);
  }

  #close(): void {
    this.#isOver = true;
    this.#stopWatch();
    this.owner.over(this);
  }
}
