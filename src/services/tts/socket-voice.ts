import { rangeProblems } from '../../conversation/option-ranges.js';
import type { OptionNames } from '../../names/option-names.js';
import type { ProviderError } from '../provider-error.js';
import { SocketSpeech } from './socket-speech.js';
import { SpeechConnection } from './speech-connection.js';
import type { TtsDialect } from './tts-dialect.js';
import type { Speech, SpeechListener, Voice, VoiceListener } from './voice.js';

/** How long audio that was asked for may stay away before it is asked for again on another connection, in milliseconds. */
const PATIENCE_MS = 2_000;

export interface SocketVoiceOptions {
  /** Longest wait for audio before it is asked for again, in milliseconds, 20 to 30000. Then a tenth longer, and the voice gives up. Default 2000. */
  patienceMs?: number | undefined;
}

export const SOCKET_VOICE_OPTIONS: OptionNames<SocketVoiceOptions> = { patienceMs: true };

/** @returns a sentence for each option that is out of its range */
export function socketVoiceProblems({ patienceMs = PATIENCE_MS }: SocketVoiceOptions): string[] {
  return rangeProblems({ patienceMs: [patienceMs, 20, 30_000] });
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
