import { setTimeout as wait } from 'node:timers/promises';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import { ProviderError } from '../../../base/provider-error.js';
import type { ServiceModel } from '../../../call/service-name.js';
import { TurnEndFrame } from '../../conversation/conversation-frames.js';
import { LLMContextFrame } from '../../conversation/llm-context-frame.js';
import {
  CallerPassedOverFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  StartFrame,
  TranscriptionFrame,
  TTSSpeakFrame,
  TTSStartedFrame,
  TTSTextFrame,
  UserStartedSpeakingFrame,
  type Utterance,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import type { StandbyEars } from './standby-ears.js';

/** So long the words of what only the session has heard are waited for, in milliseconds: the model is asked without them then. */
const WORDS_LIMIT_MS = 3_000;
/** What stands in a context for words that are not known. */
const UNWRITTEN = '…';

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
  #said: { readonly frame: TTSSpeakFrame; text: string } | undefined;
  /** Failures of the cascade while the session answered. */
  readonly #withheld: ErrorFrame[] = [];

  /**
   * @param speaker of the session
   * @param ears of the cascade
   * @param model of the session
   * @param health told when the session is given up, and when it has answered
   */
  constructor(
    private readonly speaker: FrameProcessor,
    private readonly ears: StandbyEars,
    private readonly model: ServiceModel,
    private readonly health: { failed(error: ProviderError): void; works(): void },
  ) {
    this.#before = new Before({
      down: (frame) => this.#goesDown(frame),
      up: (frame) => this.#goesUp(frame),
    });
    this.#behind = new Behind({ passes: (frame) => this.#passes(frame), end: (frame) => this.#beforeEnd(frame) });
    this.before = this.#before;
    this.behind = this.#behind;
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
    else if (frame instanceof InterruptionFrame) this.#forget();
    else if (frame instanceof LLMContextFrame || frame instanceof TTSSpeakFrame) {
      if (this.#isOver) {
        this.#behind.receive(frame, 'downstream');
        return false;
      }
      if (frame instanceof LLMContextFrame) {
        this.#asked = frame;
        this.#hasSpokenSince = false;
      } else this.#said = { frame, text: '' };
    }
    return true;
  }

  /** What was asked before is another turn of the caller's. */
  #callerBegins(): void {
    if (!this.#hasSpokenSince) this.ears.answered();
    this.#hasSpokenSince = true;
    this.ears.begin();
  }

  /** @returns whether it goes on to the conversation */
  #goesUp(frame: Frame): boolean {
    if (!(frame instanceof ErrorFrame) || this.#isOver) return true;
    const { error, source } = frame;
    if (!(error instanceof ProviderError && error.isFinal)) return true;
    if (source === this.speaker.name) this.#giveUp(error);
    else this.#withheld.push(frame);
    return false;
  }

  #passes(frame: Frame): void {
    if (frame instanceof TTSStartedFrame) {
      if (!this.#isOver) this.health.works();
      this.#begins(frame.utterance);
    } else if (frame instanceof TTSTextFrame && this.#said) this.#said.text += frame.text;
  }

  #begins({ response }: Utterance): void {
    if (response) this.#said = undefined;
  }

  #forget(): void {
    this.#asked = undefined;
    this.#said = undefined;
  }

  #giveUp(error: ProviderError): void {
    this.#isOver = true;
    if (this.#start) {
      this.#start.modelHears = false;
      this.#start.modelTakesTurns = false;
      this.#start.answersEarly = true;
    }
    const turn = this.#asked?.turn;
    const needsWords = this.#asked !== undefined && isUnwritten(this.#asked);
    const isAnswered = this.#asked !== undefined && !needsWords;
    if (needsWords && turn) {
      const words = deferred<string>();
      this.#words = words;
      this.ears.wake('turn', (text) => words.resolve(text));
    } else this.ears.wake(isAnswered ? 'rest' : 'turn');
    this.health.failed(error);
    this.#before.noteSwitch(this.model, this.ears, error, turn?.id);
    this.#sayRest();
    for (const frame of this.#withheld.splice(0)) this.#before.tell(frame);
  }

  /** What the session was to say, and has not: nothing is said twice. */
  #sayRest(): void {
    const said = this.#said;
    this.#said = undefined;
    if (!said) return;
    const rest = restOf(said.frame.text, said.text);
    if (rest) this.#behind.receive(new TTSSpeakFrame(rest, said.frame), 'downstream');
  }

  /** A turn ends that the session has not answered: the language model answers it. */
  #beforeEnd({ turn }: TurnEndFrame): Promise<void> | undefined {
    const asked = this.#asked;
    if (asked?.turn !== turn) return undefined;
    this.#asked = undefined;
    if (!this.#isOver) {
      if (!this.#hasSpokenSince) this.ears.answered();
      return undefined;
    }
    const words = this.#words;
    this.#words = undefined;
    if (!words) {
      this.#behind.ask(asked);
      return undefined;
    }
    return this.#askWithWords(asked, words.promise);
  }

  async #askWithWords(asked: LLMContextFrame, words: Promise<string>): Promise<void> {
    const limit = new AbortController();
    const late = wait(WORDS_LIMIT_MS, '', { signal: limit.signal }).catch(() => '');
    const text = await Promise.race([words, late]);
    limit.abort();
    if (text) {
      const { turn } = asked;
      this.#before.tell(new TranscriptionFrame(text, true, undefined, undefined, { turn, instead: '' }));
    }
    this.#behind.ask(asked);
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
  noteSwitch(from: ServiceModel, { provider, model }: ServiceModel, error: ProviderError, turn?: number): void {
    const { message: why, code: errorType } = error;
    const to = { provider, model };
    this.timeline?.note({ type: 'service_switched', does: 'live', from, to, why, ms: 0, turn, errorType });
  }

  /** Tells the conversation. */
  tell(frame: Frame): void {
    this.push(frame, 'upstream');
  }
}

/** Behind the session's speaker, and before the language model. */
class Behind extends FrameProcessor {
  constructor(
    private readonly see: { passes(frame: Frame): void; end(frame: TurnEndFrame): Promise<void> | undefined },
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (direction === 'downstream' && frame instanceof TurnEndFrame) {
      const { signal } = this;
      const asking = this.see.end(frame);
      if (asking) return asking.then(() => signal.aborted || this.push(frame)).then(() => {});
    }
    if (direction === 'downstream') this.see.passes(frame);
    this.push(frame, direction);
    // a session hears only what the caller has said: nothing is asked early before it is given up
    if (frame instanceof StartFrame) frame.answersEarly = false;
  }

  /** Asks the language model. */
  ask(frame: LLMContextFrame): void {
    this.push(frame);
  }
}

/** Whether the caller's words that it answers are not known. */
function isUnwritten({ context, turn }: LLMContextFrame): boolean {
  const last = context.messagesFor(turn).findLast(({ role }) => role === 'user');
  return last !== undefined && 'content' in last && last.content === UNWRITTEN;
}

/** What of a text is not said yet. @param said its beginning, as the session wrote it down */
function restOf(text: string, said: string): string {
  const count = said.split(/\s+/).filter((word) => word !== '').length;
  const words = [...text.matchAll(/\S+/g)];
  const next = words[count];
  return next ? text.slice(next.index) : '';
}
