import { VoicebotError } from '../../../base/errors.js';
import type { OptionNames } from '../../../base/names/option-names.js';
import type { ProviderError } from '../../../base/provider-error.js';
import type { ServiceModel } from '../../../call/service-name.js';
import { hasStandIns, noteStandIn } from '../../../call/stand-ins.js';
import {
  CancelFrame,
  EndFrame,
  EndOfTurnFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  StartFrame,
  TranscriptionFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { sharedHealth } from '../service-health.js';
import { GIVE_UP_MS } from '../vendor-link.js';
import type { Ear, EarSource, SwitchedEars } from './ear.js';
import { earName, probeEars } from './ears-probe.js';
import { socketEars } from './socket-ear.js';
import { StandInEar } from './stand-in-ear.js';
import type { SttDialect } from './stt-dialect.js';
import { UnheardVoice } from './unheard-voice.js';

/** What all services that turn speech into text can be told. */
export interface SttServiceOptions {
  /**
   * Longest time without a connection that works before the service gives up, in milliseconds, 1000 to 10000; it gives up
   * after five attempts in a row, too. Default 4000: a caller who gets no answer for longer hangs up.
   */
  giveUpAfterMs?: number | undefined;
}

export const STT_OPTIONS: OptionNames<SttServiceOptions> = { giveUpAfterMs: true };

/**
 * Writes down what the caller says: passes their audio on and adds the words as {@link InterimTranscriptionFrame} and
 * {@link TranscriptionFrame}. Connects when the pipeline starts; what is said before the vendor is there waits.
 *
 * A connection that breaks is replaced, and audio without a final result is sent again. That is told by one
 * {@link ErrorFrame} with a {@link ProviderError}; one whose `isFinal` is true says that no more words will come.
 */
export class SttService extends FrameProcessor {
  /** What makes its ears. @internal */
  readonly source: EarSource;
  #ear: Ear | undefined;
  /** Hears typed sentences in place of the vendor. */
  #standIn: StandInEar | undefined;
  readonly #unheard = new UnheardVoice((ms) =>
    this.#ear?.renew?.(`told no words of ${Math.round(ms / 1_000)} s of the caller's voice`),
  );
  /** Words were told that may still change. */
  #hasInterim = false;

  /**
   * @param ears a vendor on a WebSocket, or what makes an ear of another kind
   * @throws VoicebotError VB_CONFIG_INVALID for a time that is out of range
   */
  constructor(ears: SttDialect | EarSource, { giveUpAfterMs = GIVE_UP_MS }: SttServiceOptions = {}) {
    super();
    if (!(giveUpAfterMs >= 1_000 && giveUpAfterMs <= 10_000)) {
      throw new VoicebotError('VB_CONFIG_INVALID', `giveUpAfterMs must be 1000 to 10000, got ${giveUpAfterMs}`);
    }
    this.source = 'create' in ears ? ears : socketEars(ears, giveUpAfterMs);
  }

  /** Audio the vendor never got because it was away for too long, in milliseconds. */
  get droppedMs(): number {
    return this.#ear?.droppedMs ?? 0;
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) this.#start(frame);
    else if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#stop();
    this.push(frame, direction);
    this.#standIn?.see(frame);
    if (frame instanceof InputAudioFrame) this.#ear?.write(frame.pcm);
    else if (frame instanceof UserStartedSpeakingFrame) this.#voice(true);
    else if (frame instanceof UserStoppedSpeakingFrame) this.#voice(false);
  }

  override cleanup(): void {
    this.#stop();
    this.#standIn?.close();
  }

  #stop(): void {
    this.#ear?.close();
    this.#unheard.close();
  }

  #start({ audioInSampleRate, standIns }: StartFrame): void {
    if (hasStandIns()) {
      noteStandIn(this.timeline, 'speech to text');
      this.#standIn = new StandInEar(
        standIns?.typed,
        (text, typedAt) => this.#tellFinal(text, true, typedAt),
        (text) => this.timeline?.note({ type: 'interim_transcript', text }),
      );
      return;
    }
    const { provider, model } = this.source;
    this.timeline?.note({ type: 'service', does: 'speech_to_text', provider, model });
    this.#ear = this.source.create(audioInSampleRate, {
      interim: (text) => this.#tellInterim(text),
      final: (text, endsUtterance) => this.#tellFinal(text, endsUtterance),
      endOfTurn: (is) => this.push(new EndOfTurnFrame(is)),
      troubled: (error) => {
        if (error.isFinal) this.#failed(error);
        this.broadcast(() => new ErrorFrame(error, false, this.name));
      },
      switched: (switched) => this.#noteSwitch(switched),
    });
  }

  #voice(isHeard: boolean): void {
    if (!this.#ear) return;
    this.#unheard.voice(isHeard);
    this.#ear.voice?.(isHeard);
  }

  #failed(error: ProviderError): void {
    this.#unheard.close();
    sharedHealth.failed(earName(this.source), error, () => probeEars(this.source), error.retryAfterMs);
  }

  #noteSwitch({ from, to, error: { message: why, code: errorType }, ms }: SwitchedEars): void {
    const does = 'speech_to_text';
    this.timeline?.note({ type: 'service_switched', does, from: modelOf(from), to: modelOf(to), why, ms, errorType });
  }

  /** Nothing is told by an empty text, except that the words before it were not said after all. */
  #tellInterim(text: string): void {
    if (text === '' && !this.#hasInterim) return;
    if (text !== '') this.#unheard.words();
    this.#hasInterim = text !== '';
    this.push(new InterimTranscriptionFrame(text));
  }

  #tellFinal(text: string, endsUtterance: boolean, typedAt?: number): void {
    if (text === '') {
      this.#tellInterim('');
      return;
    }
    this.#hasInterim = false;
    this.#unheard.words();
    this.push(new TranscriptionFrame(text, endsUtterance, typedAt));
  }
}

const modelOf = ({ provider, model }: EarSource): ServiceModel => ({ provider, model });
