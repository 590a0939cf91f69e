import type { CreateVoiceDetector } from '../../base/audio/voice-detector.js';
import type { VoicebotError } from '../../base/errors.js';
import type { CallTimeline } from '../../call/timeline.js';
import {
  EndOfTurnFrame,
  type Frame,
  InputAudioFrame,
  InterimTranscriptionFrame,
  type LateWords,
  TranscriptionFrame,
} from '../pipeline/frames/index.js';
import type { TurnTaking } from './turn-taking.js';
import { VoiceActivity } from './voice-activity.js';

export interface CallerListeningActions {
  /** Words have been understood, which may change yet. */
  words(): void;
  timeline(): CallTimeline | undefined;
  /** Words of a turn that is being answered, or was. */
  late(late: LateWords, text: string): void;
  /** The detector is not asked any more; another goes on. */
  replaced(error: VoicebotError): void;
  /** The detector could not be made. */
  failed(error: Error): void;
}

/** Takes what comes of the caller, their sound and their words, to what decides about turns. */
export class CallerListening {
  readonly #voice: VoiceActivity;

  constructor(
    createDetector: CreateVoiceDetector,
    private readonly taking: TurnTaking,
    private readonly actions: CallerListeningActions,
  ) {
    this.#voice = new VoiceActivity(createDetector, {
      heard: (isSpeech, ms) => taking.hear(isSpeech, ms, this.#voice.hangoverMs),
      replaced: (error) => actions.replaced(error),
      failed: (error) => actions.failed(error),
    });
  }

  /** @param sampleRate of the caller's audio, in hertz */
  start(sampleRate: number): void {
    this.#voice.start(sampleRate);
  }

  stop(): void {
    this.#voice.stop();
  }

  /** @returns whether the frame was of the caller's sound or words */
  take(frame: Frame): boolean {
    if (frame instanceof InputAudioFrame) this.#voice.hear(frame.pcm);
    else if (frame instanceof EndOfTurnFrame) this.taking.addEndOfTurn(frame.is);
    else if (frame instanceof InterimTranscriptionFrame || frame instanceof TranscriptionFrame)
      this.#hearWords(frame.notedIn(this.actions.timeline()));
    else return false;
    return true;
  }

  #hearWords(frame: InterimTranscriptionFrame | TranscriptionFrame): void {
    const { text } = frame;
    if (text.trim() !== '') this.actions.words();
    if (frame instanceof InterimTranscriptionFrame) this.taking.addInterim(text);
    else if (frame.late) this.actions.late(frame.late, text);
    else this.taking.addFinal(text);
  }
}
