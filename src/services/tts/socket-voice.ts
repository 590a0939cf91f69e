import { ProviderError } from '../provider-error.js';
import { SpeechConnection } from './speech-connection.js';
import { SpeechDecoder } from './speech-decoder.js';
import type { TtsDialect, TtsEvent } from './tts-dialect.js';
import type { Speech, SpeechListener, Voice, VoiceListener } from './voice.js';

/** How long audio that was asked for may stay away before it is asked for again on another connection, in milliseconds. */
const PATIENCE_MS = 2_000;
/** The same for the second time: together less than callers bear. */
const LAST_PATIENCE_MS = 2_500;
/** How often a text is asked for again when no audio of it came, and when some did. */
const MAX_SILENT_BREAKS = 1;
const MAX_BREAKS = 3;

export interface SocketVoiceOptions {
  /** Longest wait for audio before it is asked for again, in milliseconds. Default 2000; after 2500 more the voice gives up. */
  patienceMs?: number | undefined;
}

/** A voice on a provider's WebSocket, which is kept for the call. */
export class SocketVoice implements Voice {
  readonly sampleRate: number;
  readonly #connection: SpeechConnection;
  #speech: SocketSpeech | undefined;
  #failure: ProviderError | undefined;
  #streams = 0;

  constructor(
    private readonly dialect: TtsDialect,
    private readonly listener: VoiceListener,
    private readonly options: SocketVoiceOptions = {},
  ) {
    this.sampleRate = dialect.format.sampleRate;
    this.#connection = new SpeechConnection(dialect, {
      opened: () => this.#speech?.resume(),
      received: (event) => this.#speech?.receive(event),
      lost: (error) => this.#speech?.interrupted(error),
      gaveUp: (error) => this.#giveUp(error),
    });
  }

  warmUp(): void {
    this.#connection.open();
  }

  speak(listener: SpeechListener): Speech {
    this.#speech?.cancel();
    if (this.#failure) return silence(listener, this.#failure);
    this.#connection.open();
    this.#speech = new SocketSpeech(this.dialect, this.#connection, listener, {
      patienceMs: this.options.patienceMs ?? PATIENCE_MS,
      nextStream: () => {
        this.#streams += 1;
        return `s${this.#streams}-${Date.now().toString(36)}`;
      },
      troubled: (error) => this.listener.troubled(error),
      gaveUp: (error) => this.#giveUp(error),
      over: (speech) => {
        if (this.#speech === speech) this.#speech = undefined;
      },
    });
    return this.#speech;
  }

  close(): void {
    this.#speech?.cancel();
    this.#connection.close();
  }

  #giveUp(error: ProviderError): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#connection.close();
    this.listener.troubled(error);
    this.#speech?.fail(error);
  }
}

/** A voice that has given up says nothing. */
function silence(listener: SpeechListener, error: ProviderError): Speech {
  let isOver = false;
  return {
    say: () => {},
    end: () => {
      if (!isOver) listener.failed(error);
      isOver = true;
    },
    cancel: () => {
      isOver = true;
    },
  };
}

interface SpeechOwner {
  readonly patienceMs: number;
  nextStream(): string;
  troubled(error: ProviderError): void;
  gaveUp(error: ProviderError): void;
  over(speech: SocketSpeech): void;
}

/** One stretch of speech, asked for in one stream of the provider, or in several when the connection broke or the text paused. */
class SocketSpeech implements Speech {
  readonly #texts: string[] = [];
  #stream: string | undefined;
  #decoder: SpeechDecoder;
  /** Texts that were asked for, and of which all audio has come. */
  #asked = 0;
  #said = 0;
  #isEnded = false;
  #isEndAsked = false;
  /** The provider says when a text was said. */
  #tellsSaid = false;
  /** Whether the stream has given audio since a text was last asked for. */
  #isAnswered = false;
  #samples = 0;
  /** Samples that were there when the stream began. */
  #streamBase = 0;
  /** Words that were told of the texts said so far, and of those after them. */
  #wordsTold = 0;
  #wordsOfSaid = 0;
  /** Words of the stream that had been told before the connection broke. */
  #wordsToSkip = 0;
  /** Connections that broke with nothing heard, one after the other, and while the same text was being said. */
  #silentBreaks = 0;
  #breaks = 0;
  #heardAt = 0;
  #watch: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    private readonly dialect: TtsDialect,
    private readonly connection: SpeechConnection,
    private readonly listener: SpeechListener,
    private readonly owner: SpeechOwner,
  ) {
    this.#decoder = new SpeechDecoder(dialect.format.encoding);
  }

  say(text: string): void {
    if (this.#isOver || this.#isEnded) return;
    this.#texts.push(text);
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
    if (stream) this.connection.send((codec) => codec.cancel(stream));
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
    if (this.connection.isOpen) this.#ask();
    else this.connection.open();
  }

  receive(event: TtsEvent): void {
    if (this.#isOver || (event.stream !== undefined && event.stream !== this.#stream) || !this.#stream) {
      if (event.type === 'error' && event.stream === undefined) this.#refused(event);
      return;
    }
    this.#heardAt = performance.now();
    if (event.type === 'audio') this.#audio(event.bytes);
    else if (event.type === 'words') this.#words(event);
    else if (event.type === 'said') {
      this.#tellsSaid = true;
      this.#setSaid(Math.min(this.#said + event.texts, this.#asked));
    } else if (event.type === 'done') this.#streamDone();
    else this.#refused(event);
  }

  /** The connection broke: what has not been said is asked for again on the next, from the start of its sentence. */
  interrupted(error: ProviderError): void {
    if (this.#isOver) return;
    const wasOwed = this.#asked > this.#said;
    this.#beginAgain();
    this.#finishIfSaid();
    if (!wasOwed) return;
    this.#silentBreaks += 1;
    this.#breaks += 1;
    const isHopeless = this.#silentBreaks > MAX_SILENT_BREAKS || this.#breaks > MAX_BREAKS;
    if (isHopeless) this.owner.gaveUp(error.asFinal());
    else this.owner.troubled(error);
  }

  #ask(): void {
    if (this.#stream && this.#isStale()) this.#beginAgain();
    if (this.#texts.length > this.#asked) {
      this.#stream ??= this.owner.nextStream();
      const stream = this.#stream;
      for (const text of this.#texts.slice(this.#asked)) this.connection.send((codec) => codec.say(stream, text));
      this.#asked = this.#texts.length;
      this.#isAnswered = false;
    }
    const stream = this.#stream;
    if (this.#isEnded && stream && !this.#isEndAsked) {
      this.connection.send((codec) => codec.end(stream));
      this.#isEndAsked = true;
    }
    this.#watchOver();
  }

  #isStale(): boolean {
    const { streamIdleMs } = this.dialect;
    if (streamIdleMs === undefined || this.#said < this.#asked) return false;
    return this.#asked < this.#texts.length && performance.now() - this.#heardAt > streamIdleMs;
  }

  #audio(bytes: Uint8Array): void {
    const pcm = this.#decoder.decode(bytes);
    if (pcm.length === 0) return;
    this.connection.works();
    this.#silentBreaks = 0;
    this.#isAnswered = true;
    this.#samples += pcm.length;
    this.#watchOver();
    this.listener.audio(pcm);
  }

  #words({ words }: Extract<TtsEvent, { type: 'words' }>): void {
    const baseMs = (this.#streamBase * 1_000) / this.dialect.format.sampleRate;
    const fresh = words.slice(this.#wordsToSkip);
    this.#wordsToSkip -= words.length - fresh.length;
    this.#wordsTold += fresh.length;
    if (fresh.length === 0) return;
    const moved = ({ text, startMs, endMs }: (typeof words)[number]) => ({
      text,
      startMs: startMs + baseMs,
      endMs: endMs + baseMs,
    });
    this.listener.words(fresh.map(moved));
  }

  #setSaid(count: number): void {
    if (count === this.#said) return;
    this.#said = count;
    this.#breaks = 0;
    this.#isAnswered = false;
    this.#wordsOfSaid = this.#wordsTold;
    this.listener.said(count);
    this.#watchOver();
    this.#finishIfSaid();
  }

  #streamDone(): void {
    // A stream may end by itself, just when more was asked of it.
    if (this.#isEndAsked || !this.#tellsSaid) this.#setSaid(this.#asked);
    if (this.#isOver) return;
    this.#forgetStream();
    if (this.#isEnded && this.#said === this.#texts.length) this.#finish();
    else this.resume();
  }

  #finishIfSaid(): void {
    if (!this.#isEnded || this.#said < this.#texts.length) return;
    if (this.dialect.endsWithTexts || !this.#stream) this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#close();
    this.listener.done();
  }

  #refused({ message, status }: Extract<TtsEvent, { type: 'error' }>): void {
    const { provider } = this.dialect.account;
    const error = status
      ? ProviderError.ofStatus(provider, status, message)
      : new ProviderError(provider.name, 'VB_PROVIDER_FAILED', message);
    const isOfNoUse = status !== undefined && status >= 400 && status < 500 && ![408, 409, 429].includes(status);
    if (isOfNoUse) this.owner.gaveUp(error.asFinal());
    else this.connection.renew(error);
  }

  #beginAgain(): void {
    this.#forgetStream();
    this.#wordsToSkip = this.#wordsTold - this.#wordsOfSaid;
  }

  #forgetStream(): void {
    clearTimeout(this.#watch);
    this.#stream = undefined;
    this.#asked = this.#said;
    this.#isEndAsked = false;
    this.#streamBase = this.#samples;
    this.#decoder = new SpeechDecoder(this.dialect.format.encoding);
  }

  /** Waits for what the provider owes: audio of what was asked for, and then the rest of it. */
  #watchOver(): void {
    clearTimeout(this.#watch);
    const isOwed = this.#asked > this.#said && (!this.#isAnswered || this.#isEndAsked);
    if (this.#isOver || !this.#stream || !(isOwed || this.#isEndAsked)) return;
    const limitMs = this.#silentBreaks === 0 ? this.owner.patienceMs : LAST_PATIENCE_MS;
    this.#watch = setTimeout(() => {
      const { name } = this.dialect.account.provider;
      this.connection.renew(new ProviderError(name, 'VB_PROVIDER_FAILED', `no audio for ${limitMs} ms`));
    }, limitMs);
  }

  #close(): void {
    this.#isOver = true;
    clearTimeout(this.#watch);
    this.owner.over(this);
  }
}
