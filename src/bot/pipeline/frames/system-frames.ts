import type { CallStandIns } from '../../../call/stand-ins.js';
import type { CallTimeline } from '../../../call/timeline.js';
import { SystemFrame } from './frame.js';

/** The first frame of every pipeline. A processor sees no data or control frame before it has handled this one. */
export class StartFrame extends SystemFrame {
  /**
   * Set by a processor that decides for all behind it what happens when a vendor fails, as a conversation does. A voice that
   * has given up apologises and ends the call where no processor does.
   */
  hasFailureHandler = false;

  /** Set by a model service that answers turns which are asked early, see `Turn`. */
  answersEarly = false;

  /** Set by ears of a model that hears the caller itself: a turn of the caller's may end before its words are known, see `TranscriptionFrame.late`. */
  modelHears = false;

  /** Set by ears of a model that takes its turns itself: it falls silent when the caller speaks, and no voice interrupts it here. */
  modelTakesTurns = false;

  /** Set by an output that holds the answers of such turns back. */
  holdsEarlyAnswers = false;

  /** Where what happens in the call is noted; set by the head of the pipeline, where a runner has started the bot. */
  timeline: CallTimeline | undefined = undefined;

  /** What stands in for services that need keys; set as the timeline is. @internal */
  standIns: CallStandIns | undefined = undefined;

  /** Both in hertz. */
  constructor(
    readonly audioInSampleRate: number,
    readonly audioOutSampleRate: number,
  ) {
    super();
  }
}

/**
 * Why a pipeline stops at once: the bot wanted it (`cancelled`), neither side spoke (`idle`), the call is already over
 * (`call_ended`), or a processor failed for good (`failed`), in which case the caller is kept for another bot.
 */
export type CancelReason = 'cancelled' | 'idle' | 'call_ended' | 'failed';

/** The immediate end: queues are dropped, nothing more is played. */
export class CancelFrame extends SystemFrame {
  constructor(readonly reason: CancelReason = 'cancelled') {
    super();
  }
}

/** The caller takes the floor: every processor drops its interruptible frames and aborts what it is doing. */
export class InterruptionFrame extends SystemFrame {}

/** The other party is there and hears the bot: the caller, or the callee. Comes once. */
export class CallerJoinedFrame extends SystemFrame {}

/** What the caller says does not count from here on, or counts again. Travels upstream. */
export class CallerMutedFrame extends SystemFrame {
  constructor(readonly isMuted: boolean) {
    super();
  }
}

/** What the caller has said since their last turn is not answered: it was a sound, or a word that does not stop the bot. Travels downstream. */
export class CallerPassedOverFrame extends SystemFrame {}

export class UserStartedSpeakingFrame extends SystemFrame {}
export class UserStoppedSpeakingFrame extends SystemFrame {
  /** @param stoppedAt when the caller's last sound was, monotonic, in milliseconds: detectors tell it later */
  constructor(readonly stoppedAt = performance.now()) {
    super();
  }
}

/** Words of the caller's have been understood, final ones or not. A conversation keeps the words and sends this in their place. */
export class UserWordsFrame extends SystemFrame {}

/** The first audio of an utterance went out to the caller. */
export class BotStartedSpeakingFrame extends SystemFrame {}

/** The utterance is over for the caller. */
export class BotStoppedSpeakingFrame extends SystemFrame {
  /**
   * @param heardMs how much of the utterance the caller heard, in milliseconds
   * @param wasInterrupted true when the rest of it was dropped
   */
  constructor(
    readonly heardMs: number,
    readonly wasInterrupted: boolean,
  ) {
    super();
  }
}

/** A processor failed. Travels upstream; a fatal one ends the pipeline with its error. */
export class ErrorFrame extends SystemFrame {
  constructor(
    readonly error: Error,
    readonly isFatal = false,
    /** Name of the processor that failed. */
    readonly source?: string,
  ) {
    super();
  }
}
