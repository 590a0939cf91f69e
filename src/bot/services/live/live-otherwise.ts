import { withDeadline } from '../../../base/async/deadline.js';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import { ProviderError } from '../../../base/provider-error.js';
import type { ServiceModel } from '../../../call/service-name.js';
import { isUnwritten } from '../../conversation/context-entry.js';
import { TurnEndFrame } from '../../conversation/conversation-frames.js';
import { LLMContextFrame } from '../../conversation/llm-context-frame.js';
import {
  CallerPassedOverFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  OutputAudioFrame,
  StartFrame,
  TranscriptionFrame,
  TTSSpeakFrame,
  TTSStartedFrame,
  TTSTextFrame,
  UserStartedSpeakingFrame,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { LiveJoining } from './live-joining.js';
import type { LiveService } from './live-service.js';
import { SessionSpeech } from './session-speech.js';
import type { SlowAnswer } from './slow-answer.js';
import type { StandbyEars } from './standby-ears.js';
import { UnsaidFrame } from './unsaid-frame.js';

/** So long the words of what only the session has heard are waited for, in milliseconds: the model is asked without them then. */
const WORDS_LIMIT_MS = 3_000;

/**
 * What the cascade beside a realtime model does when there is no session any more: stands before and behind the session's speaker, and
 * goes on in the same turn with the same context. What was asked and has not been answered is asked again, of the language model; what the
 * bot was to say, and has not said, is said by the voice.
 *
 *     conversation.user(), before, speaker, behind, llm, voice
 */
export class LiveOtherwise {
  readonly before: FrameProcessor;
  readonly behind: FrameProcessor;
  readonly #before: Before;
  readonly #behind: Behind;
  #isOver = false;
  #start: StartFrame | undefined;
  /** The caller has spoken since the session was asked last. */
  #hasSpokenSince = true;
  /** The caller's words that the language model is to answer, where only the session has heard them. */
  #words: Deferred<string> | undefined;
  /** What the session was asked last, until its turn has been passed on. */
  #asked: LLMContextFrame | undefined;
  readonly #speech = new SessionSpeech();
  /** Failures of the cascade while the session answered. */
  readonly #withheld: ErrorFrame[] = [];
  readonly #joining = new LiveJoining({
    asked: () => (this.#hasSpokenSince || this.#isOver ? undefined : this.#asked),
    words: (asked) => this.#hearWords(asked),
    ask: (frame) => this.#behind.join(frame),
    takeOver: (slow, isForGood) => this.#takeOver(slow, isForGood),
  });

  /**
   * @param live the session
   * @param ears of the cascade
   * @param model of the session
   * @param health told when the session is given up, and when it has answered
   */
  constructor(
    private readonly live: Pick<LiveService, 'speaker' | 'giveUp' | 'onSlow' | 'knowsWords'>,
    private readonly ears: StandbyEars,
    private readonly model: ServiceModel,
    private readonly health: { failed(error: ProviderError): void; works(): void },
  ) {
    this.#before = new Before({
      down: (frame) => this.#goesDown(frame),
      up: (frame) => this.#goesUp(frame),
    });
    this.#behind = new Behind({
      passes: (frame) => this.#passes(frame),
      end: (frame) => this.#beforeEnd(frame),
      rest: ({ frame, utterance }) => this.#speech.restOf(frame.text, utterance),
    });
    this.before = this.#before;
    this.behind = this.#behind;
    live.onSlow((slow) => this.#joining.join(slow));
  }

  /** Whether the cascade answers. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @returns whether it goes on to the session */
  #goesDown(frame: Frame): boolean {
    if (frame instanceof StartFrame) this.#start = frame;
    else if (frame instanceof UserStartedSpeakingFrame) this.#callerBegins();
    else if (frame instanceof CallerPassedOverFrame) this.ears.answered();
    else if (frame instanceof InterruptionFrame) {
      this.#asked = undefined;
      this.#joining.forget();
    } else if (frame instanceof LLMContextFrame || frame instanceof TTSSpeakFrame) {
      if (this.#isOver) {
        this.#behind.receive(frame, 'downstream');
        return false;
      }
      if (frame instanceof LLMContextFrame) {
        this.#asked = frame;
        this.#hasSpokenSince = false;
      }
    }
    return true;
  }

  /** What was asked before is another turn of the caller's. */
  #callerBegins(): void {
    const isHeard = !this.#asked || !lacksWords(this.#asked);
    if (!this.#hasSpokenSince && isHeard) this.ears.answered();
    this.#hasSpokenSince = true;
    this.ears.tellAll(); // what is said now may stand in the words that are waited for
    this.ears.begin();
  }

  /** @returns whether it goes on to the conversation */
  #goesUp(frame: Frame): boolean {
    if (!(frame instanceof ErrorFrame) || this.#isOver) return true;
    const { error, source } = frame;
    if (!(error instanceof ProviderError && error.isFinal)) return true;
    if (source === this.live.speaker.name) this.#giveUp(error);
    else {
      this.#withheld.push(frame);
      this.#joining.fails();
    }
    return false;
  }

  #passes(frame: Frame): void {
    if (frame instanceof TTSStartedFrame) {
      if (!this.#isOver) this.health.works();
      this.#joining.begins(frame.utterance.response?.turn);
      this.#speech.begins(frame.utterance);
    } else if (frame instanceof TTSTextFrame) this.#speech.text(frame.text);
    else if (frame instanceof OutputAudioFrame) this.#speech.audio(frame);
  }

  #giveUp(error: ProviderError, ms = 0): void {
    this.#isOver = true;
    this.#joining.forget(true);
    this.live.giveUp();
    if (this.#start) {
      this.#start.modelHears = false;
      this.#start.modelTakesTurns = false;
      this.#start.answersEarly = true;
    }
    const turn = this.#asked?.turn;
    const needsWords = this.#asked !== undefined && lacksWords(this.#asked);
    const isAnswered = this.#asked !== undefined && !needsWords;
    if (this.#hasSpokenSince) this.ears.wake('turn');
    else if (needsWords && turn) {
      const words = deferred<string>();
      this.#words = words;
      this.ears.wake('turn', (text) => words.resolve(text));
    } else this.ears.wake(isAnswered ? 'rest' : 'turn');
    this.health.failed(error);
    this.#before.noteSwitch(this.model, this.ears, error, ms, turn?.id);
    for (const frame of this.#withheld.splice(0)) this.#before.tell(frame);
  }

  /** The session has not begun to answer in its time, and the cascade answers. */
  #takeOver(slow: SlowAnswer, isForGood: boolean): void {
    const { failure, awaitedAt, question } = slow;
    const ms = performance.now() - awaitedAt;
    if (isForGood) this.#giveUp(failure, ms);
    else {
      this.#before.noteSwitch(this.model, this.ears, failure, ms, question.turn?.id);
      slow.handOn();
    }
  }

  /** What the caller has said, by the ears of the cascade, where the session has not told it. */
  #hearWords(asked: LLMContextFrame): Promise<void> | undefined {
    if (!lacksWords(asked)) return undefined;
    const words = deferred<string>();
    const stop = this.ears.hearTurn((text) => words.resolve(text));
    return withDeadline(words.promise, WORDS_LIMIT_MS, () => new Error('late'))
      .then((text) => {
        if (this.#isOver || !lacksWords(asked)) return;
        this.live.knowsWords(asked.turn);
        this.#tellWords(asked, text);
      })
      .catch(() => {})
      .finally(stop);
  }

  #tellWords({ turn }: LLMContextFrame, text: string): void {
    this.#before.tell(new TranscriptionFrame(text, true, undefined, undefined, { turn, instead: '' }));
  }

  /** A turn ends that the session has not answered: the language model answers it. */
  #beforeEnd({ turn }: TurnEndFrame): LLMContextFrame | Promise<LLMContextFrame> | undefined {
    const asked = this.#asked;
    if (asked?.turn !== turn) return undefined;
    this.#asked = undefined;
    if (this.#joining.end(turn) || !this.#isOver) {
      if (!this.#isOver && !this.#hasSpokenSince) this.ears.answered();
      return undefined;
    }
    const words = this.#words;
    this.#words = undefined;
    return words ? this.#withWords(asked, words.promise) : asked;
  }

  async #withWords(asked: LLMContextFrame, words: Promise<string>): Promise<LLMContextFrame> {
    const text = await withDeadline(words, WORDS_LIMIT_MS, () => new Error('late')).catch(() => '');
    this.ears.tellAll();
    if (text) this.#tellWords(asked, text);
    return asked;
  }
}

/** Before the session's speaker: sees what the conversation asks, and what fails. */
class Before extends FrameProcessor {
  constructor(private readonly see: { down(frame: Frame): boolean; up(frame: Frame): boolean }) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    const goesOn = direction === 'downstream' ? this.see.down(frame) : this.see.up(frame);
    if (goesOn) this.push(frame, direction);
  }

  /** Notes that the cascade goes on. */
  noteSwitch(
    from: ServiceModel,
    { provider, model }: ServiceModel,
    error: ProviderError,
    ms: number,
    turn?: number,
  ): void {
    const { message: why, code: errorType } = error;
    const to = { provider, model };
    this.timeline?.note({ type: 'service_switched', does: 'live', from, to, why, ms: Math.round(ms), turn, errorType });
  }

  /** Tells the conversation. */
  tell(frame: Frame): void {
    this.push(frame, 'upstream');
  }
}

/** Behind the session's speaker, and before the language model. */
class Behind extends FrameProcessor {
  constructor(
    private readonly see: {
      passes(frame: Frame): void;
      end(frame: TurnEndFrame): LLMContextFrame | Promise<LLMContextFrame> | undefined;
      rest(frame: UnsaidFrame): string;
    },
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (direction === 'downstream' && frame instanceof TurnEndFrame) {
      const { signal } = this;
      const asked = this.see.end(frame);
      if (asked instanceof Promise) {
        return asked.then((withWords) => {
          if (!signal.aborted) this.#ask(withWords, frame);
        });
      }
      if (asked) return this.#ask(asked, frame);
    }
    if (frame instanceof UnsaidFrame) return this.#goOn(frame);
    // the voice would get ready for an answer of the session's, and wait for it
    if (frame instanceof LLMResponseStartFrame || frame instanceof LLMResponseEndFrame) return;
    if (direction === 'downstream') this.see.passes(frame);
    this.push(frame, direction);
    // a session hears only what the caller has said: nothing is asked early before it is given up
    if (frame instanceof StartFrame) frame.answersEarly = false;
  }

  /** Asks the language model, too. */
  join(frame: LLMContextFrame): void {
    this.push(frame);
  }

  /** Asks the language model. */
  #ask(asked: LLMContextFrame, end: TurnEndFrame): void {
    this.push(asked);
    this.push(end);
  }

  /** The voice says what the session has not said. */
  #goOn(unsaid: UnsaidFrame): void {
    const { frame } = unsaid;
    const text = this.see.rest(unsaid);
    const rest = text === frame.text ? frame : new TTSSpeakFrame(text, frame);
    if (rest !== frame) void rest.synthesised.then(() => frame.settle());
    this.push(rest);
  }
}

/** Whether the caller's words that it answers are not known. */
const lacksWords = ({ context, turn }: LLMContextFrame): boolean => isUnwritten(context.messagesFor(turn));
