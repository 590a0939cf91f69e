import { type OptionNames, refuseProblems } from '../../../base/names/option-names.js';
import { rangeProblems } from '../../../base/names/option-ranges.js';
import type { ProviderError } from '../../../base/provider-error.js';
import { hasStandIns, noteStandIn } from '../../../call/stand-ins.js';
import type { HeardBy } from '../../../call/timeline.js';
import {
  CancelFrame,
  EndFrame,
  EndOfTurnFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  SpeechLanguageFrame,
  StartFrame,
  TranscriptionFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { modelOf } from '../listed-names.js';
import { sharedHealth } from '../service-health.js';
import { GIVE_UP_MS } from '../vendor-link.js';
import { CallEar } from './call-ear.js';
import type { EarSource, SwitchedEars } from './ear.js';
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

/** @returns a sentence when its time is out of range */
export function sttServiceProblems({ giveUpAfterMs }: SttServiceOptions): string[] {
  return rangeProblems({ giveUpAfterMs: [giveUpAfterMs, 1_000, 10_000] });
}

/**
 * Writes down what the caller says: passes their audio on and adds the words as {@link InterimTranscriptionFrame} and
 * {@link TranscriptionFrame}. Connects when the pipeline starts; what is said before the vendor is there waits.
 *
 * In a pipeline where another language is spoken, see {@link SpeechLanguageFrame}, it connects anew for that language, unless it was
 * given one, and what has no final words is heard again.
 *
 * A connection that breaks is replaced, and audio without a final result is sent again. That is told by one
 * {@link ErrorFrame} with a {@link ProviderError}; one whose `isFinal` is true says that no more words will come.
 */
export class SttService extends FrameProcessor {
  /** What makes its ears. @internal */
  readonly source: EarSource;
  readonly #ear: CallEar;
  /** Told about to all calls; undefined where they tell it themselves. */
  readonly #watched: EarSource | undefined;
  /** Hears typed sentences in place of the vendor. */
  #standIn: StandInEar | undefined;
  readonly #unheard = new UnheardVoice((ms) =>
    this.#ear.renew(`told no words of ${Math.round(ms / 1_000)} s of the caller's voice`),
  );
  /** Words were told that may still change. */
  #hasInterim = false;

  /**
   * @param ears a vendor on a WebSocket, or what makes an ear of another kind
   * @throws VoicebotError VB_CONFIG_INVALID for a time that is out of range
   */
  constructor(ears: SttDialect | EarSource, options: SttServiceOptions = {}) {
    super();
    refuseProblems(sttServiceProblems(options));
    const { giveUpAfterMs = GIVE_UP_MS } = options;
    this.source = 'create' in ears ? ears : socketEars(ears, giveUpAfterMs);
    this.#ear = new CallEar(this.source);
    const watched = this.source.watched ?? this.source;
    this.#watched = watched || undefined;
    if (watched) sharedHealth.probeWith(earName(watched), () => probeEars(watched));
  }

  /** Audio the vendor never got because it was away for too long, in milliseconds. */
  get droppedMs(): number {
    return this.#ear.droppedMs;
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) this.#start(frame);
    else if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#stop();
    else if (frame instanceof SpeechLanguageFrame) this.#speak(frame.language);
    this.push(frame, direction);
    this.#standIn?.see(frame);
    if (frame instanceof InputAudioFrame) this.#ear.write(frame.pcm);
    else if (frame instanceof UserStartedSpeakingFrame) this.#voice(true);
    else if (frame instanceof UserStoppedSpeakingFrame) this.#voice(false);
  }

  override cleanup(): void {
    this.#stop();
    this.#standIn?.close();
  }

  #stop(): void {
    this.#ear.close();
    this.#unheard.close();
  }

  #start({ audioInSampleRate, standIns }: StartFrame): void {
    if (hasStandIns()) {
      noteStandIn(this.timeline, 'speech to text');
      this.#standIn = new StandInEar(
        standIns?.typed,
        (text, ...told) => this.#tellFinal(text, true, ...told),
        (text) => this.timeline?.note({ type: 'interim_transcript', text }),
      );
      return;
    }
    const { provider, model } = this.source;
    this.timeline?.note({ type: 'service', does: 'speech_to_text', provider, model });
    this.#ear.open(audioInSampleRate, {
      interim: (text) => this.#tellInterim(text),
      final: (text, endsUtterance) => this.#tellFinal(text, endsUtterance),
      endOfTurn: (is) => this.push(new EndOfTurnFrame(is)),
      troubled: (error) => {
        if (error.isFinal) this.#failed(error);
        this.#report(error);
      },
      switched: (switched) => this.#noteSwitch(switched),
      used: (second, by) =>
        this.timeline?.note({ type: 'usage', used: [{ does: 'speech_to_text', ...by, units: { second } }] }),
    });
  }

  #voice(isHeard: boolean): void {
    if (!this.#ear.isOpen) return;
    this.#unheard.voice(isHeard);
    this.#ear.voice(isHeard);
  }

  #speak(language: string): void {
    const problem = this.#ear.speak(language);
    if (problem && !hasStandIns()) this.#report(problem);
  }

  #report(error: Error): void {
    this.broadcast(() => new ErrorFrame(error, false, this.name));
  }

  #failed(error: ProviderError): void {
    this.#unheard.close();
    const watched = this.#watched;
    if (watched) sharedHealth.failed(earName(watched), error, undefined, error.retryAfterMs);
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

  #tellFinal(text: string, endsUtterance: boolean, typedAt?: number, by?: HeardBy): void {
    if (text === '') {
      this.#tellInterim('');
      return;
    }
    this.#hasInterim = false;
    this.#unheard.words();
    if (this.#watched && !this.#standIn) sharedHealth.works(earName(this.#watched));
    this.push(new TranscriptionFrame(text, endsUtterance, typedAt, by));
  }
}
