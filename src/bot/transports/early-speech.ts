import {
  type Frame,
  OutputAudioFrame,
  TTSStartedFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  type Turn,
  type Utterance,
} from '../pipeline/frames/index.js';
import { LineFrame } from '../pipeline/recorded-lines.js';

/** What the voice tells about what it says. */
export type SpeechNews = TTSStartedFrame | TTSTextFrame | TTSTimingFrame | TTSStoppedFrame;

export function isSpeechNews(frame: Frame): frame is SpeechNews {
  return (
    frame instanceof TTSStartedFrame ||
    frame instanceof TTSTextFrame ||
    frame instanceof TTSTimingFrame ||
    frame instanceof TTSStoppedFrame
  );
}

/** Keeps what answers a turn that was asked early from being heard before the turn is released, or at all. */
export class EarlySpeech {
  /** What is not to be heard: the audio until it stops, or another begins, is part of it. */
  #dropped: Utterance | undefined;

  /** @returns whether the frame belongs to speech that is not wanted */
  drops(frame: Frame): boolean {
    if (frame instanceof TTSStartedFrame) this.#dropped = isDropped(frame.utterance) ? frame.utterance : undefined;
    const dropped = this.#dropped;
    if (!dropped) return false;
    if (frame instanceof TTSStoppedFrame && frame.utterance === dropped) this.#dropped = undefined;
    if (isSpeechNews(frame)) return frame.utterance === dropped;
    return frame instanceof OutputAudioFrame && !(frame instanceof LineFrame);
  }

  /** Everything is dropped anyway. */
  reset(): void {
    this.#dropped = undefined;
  }
}

/** The turn that an utterance answers, where it is not known yet whether it is wanted. */
export function undecidedTurn(frame: Frame): Turn | undefined {
  const turn = frame instanceof TTSStartedFrame ? frame.utterance.response?.turn : undefined;
  return turn && !turn.isReleased && !turn.dropped.aborted ? turn : undefined;
}

const isDropped = ({ response }: Utterance): boolean => response?.turn.dropped.aborted ?? false;
