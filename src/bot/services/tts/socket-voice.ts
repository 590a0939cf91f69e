import type { OptionNames } from '../../../base/names/option-names.js';
import { rangeProblems } from '../../../base/names/option-ranges.js';
import type { ProviderError } from '../../../base/provider-error.js';
import { VendorLink } from '../vendor-link.js';
import { SocketSpeech, type SpeechOwner } from './socket-speech.js';
import type { TtsCodec, TtsDialect, TtsEvent } from './tts-dialect.js';
import type { Speech, SpeechListener, Voice, VoiceListener } from './voice.js';

/** How long audio that was asked for may stay away before it is asked for again on another connection, in milliseconds. */
const PATIENCE_MS = 2_000;

/** What all voices behind a WebSocket can be told. */
export interface SocketVoiceOptions {
  /** Longest wait for audio before it is asked for again, in milliseconds, 20 to 30000. Then a tenth longer, and the voice gives up. Default 2000. */
  patienceMs?: number | undefined;
}

export const SOCKET_VOICE_OPTIONS: OptionNames<SocketVoiceOptions> = { patienceMs: true };

/** @returns a sentence for each option that is out of its range */
export function socketVoiceProblems({ patienceMs = PATIENCE_MS }: SocketVoiceOptions): string[] {
  return rangeProblems({ patienceMs: [patienceMs, 20, 30_000] });
}

/** A connection that lasted this long has worked, in milliseconds. */
const STEADY_MS = 5_000;

/** A voice on a vendor's WebSocket, which is opened before it is needed and kept for the call. */
export class SocketVoice implements Voice {
  readonly sampleRate: number;
  readonly #link: VendorLink<TtsEvent>;
  readonly #owner: SpeechOwner;
  /** Of the connection that is open, or was last. */
  #codec: TtsCodec;
  #speech: SocketSpeech | undefined;
  #failure: ProviderError | undefined;
  #streams = 0;

  constructor(
    private readonly dialect: TtsDialect,
    private readonly listener: VoiceListener,
    options: SocketVoiceOptions = {},
  ) {
    const { account, path, headers, keepAlive } = dialect;
    this.sampleRate = dialect.format.sampleRate;
    this.#codec = dialect.codec();
    this.#link = new VendorLink<TtsEvent>(
      {
        account,
        path,
        headers,
        ...(dialect.connect && { connect: (options) => dialect.connect?.(options) ?? Promise.resolve() }),
        keepAlive: keepAlive && { message: keepAlive.message, afterMs: keepAlive.everyMs },
        farewell: () => this.#codec.bye(),
        parse: (data, isBinary) => this.#codec.parse(data, isBinary),
        steadyMs: STEADY_MS,
      },
      {
        opened: () => {
          this.#codec = dialect.codec();
          this.#speech?.resume();
        },
        received: (event) => this.#speech?.receive(event),
        lost: (error) => this.#speech?.interrupted(error),
        failed: (error, wasOpen) => {
          if (!wasOpen || error.isOverload) this.listener.turnedAway?.(error);
        },
        gaveUp: (error) => this.#giveUp(error),
      },
    );
    this.#owner = this.#ownerOf(options);
  }

  warmUp(): void {
    this.#link.open();
  }

  speak(listener: SpeechListener): Speech {
    this.#speech?.cancel();
    if (this.#failure) return silence(listener, this.#failure);
    this.#link.open();
    this.#speech = new SocketSpeech(this.dialect, listener, this.#owner);
    return this.#speech;
  }

  close(): void {
    this.#speech?.cancel();
    this.#link.close();
  }

  #ownerOf({ patienceMs = PATIENCE_MS }: SocketVoiceOptions): SpeechOwner {
    const link = this.#link;
    return {
      patienceMs,
      isConnected: () => link.isOpen,
      connect: () => link.open(),
      send: (order) => {
        if (link.isOpen) for (const message of order(this.#codec)) link.send(message);
      },
      works: () => link.markWorking(),
      renew: (error) => link.renew(error),
      nextStream: () => {
        this.#streams += 1;
        return `s${this.#streams}-${Date.now().toString(36)}`;
      },
      troubled: (error) => this.listener.troubled(error),
      gaveUp: (error) => this.#giveUp(error),
      over: (speech) => {
        if (this.#speech === speech) this.#speech = undefined;
      },
    };
  }

  #giveUp(error: ProviderError): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#link.close();
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
