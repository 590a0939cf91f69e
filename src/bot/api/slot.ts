import { ProviderError } from '../../base/provider-error.js';
import { mutationOf, noteMutation } from '../../call/mutation.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CallerJoinedFrame,
  CancelFrame,
  DtmfFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  SpeechLanguageFrame,
  StartFrame,
  type SystemFrame,
  TranscriptionFrame,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';

/**
 * A place in a pipeline into which processors are put while it runs. They are told what they have missed: that the
 * pipeline has started, what language is spoken, which services have failed, that the caller is there, and that the bot speaks. An empty slot lets every frame pass.
 */
export class Slot {
  readonly #exit = new SlotExit();
  readonly #entry: SlotEntry;

  /** @param arrives told of every frame that comes to the slot from before it, but for the caller's audio; of a key before the pipeline is */
  constructor(arrives: (frame: Frame) => void) {
    this.#entry = new SlotEntry(this.#exit, arrives);
  }

  /** The two ends of the slot, for the pipeline, in order. */
  get ends(): readonly FrameProcessor[] {
    return [this.#entry, this.#exit];
  }

  /** Puts processors in, once. Does nothing when the pipeline is over. */
  fill(processors: readonly FrameProcessor[]): void {
    this.#entry.fill(processors);
  }

  /** What the caller says from here on is kept, until the slot is filled. */
  keepPast(): void {
    this.#entry.keepPast();
  }

  /** What is kept of what the caller has said, the oldest first. */
  get past(): readonly Frame[] {
    return this.#entry.past;
  }

  /** Hands a frame to the processor behind the slot. */
  send(frame: Frame): void {
    this.#exit.send(frame);
  }

  /** Tells the processors of both sides, those in the slot included. */
  broadcast(create: () => SystemFrame): void {
    this.#exit.sendBothWays(create);
  }

  /** Has the whole pipeline drop what is being said. */
  interrupt(): void {
    this.#exit.dropSpeech();
  }
}

/** Frames that are kept of what a caller says before there is a conversation: 40 s, of 20 ms each. */
const MAX_PAST = 2_000;

class SlotEntry extends FrameProcessor {
  past: Frame[] = [];
  #keepsPast = false;
  #processors: readonly FrameProcessor[] = [];
  #start: StartFrame | undefined;
  #language: SpeechLanguageFrame | undefined;
  /** Services that have given up for good. */
  readonly #failures: ErrorFrame[] = [];
  #hasCaller = false;
  #isBotSpeaking = false;
  #isOver = false;

  constructor(
    private readonly exit: SlotExit,
    private readonly arrives: (frame: Frame) => void,
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    const isNews = !(frame instanceof InputAudioFrame);
    if (isNews) this.#note(frame);
    if (this.#keepsPast && direction === 'downstream') this.#keep(frame);
    const arrives = isNews && direction === 'downstream';
    const isKey = frame instanceof DtmfFrame;
    if (arrives && isKey) this.arrives(frame);
    this.push(frame, direction);
    if (arrives && !isKey) this.arrives(frame);
  }

  #note(frame: Frame): void {
    if (frame instanceof StartFrame) this.#start = frame;
    else if (frame instanceof CallerJoinedFrame) this.#hasCaller = true;
    else if (frame instanceof BotStartedSpeakingFrame) this.#isBotSpeaking = true;
    else if (frame instanceof BotStoppedSpeakingFrame) this.#isBotSpeaking = false;
    else if (frame instanceof ErrorFrame && frame.error instanceof ProviderError && frame.error.isFinal)
      this.#failures.push(frame);
    else if (frame instanceof CancelFrame) this.#isOver = true;
    else if (frame instanceof SpeechLanguageFrame) {
      this.#language = frame;
      frame.notedIn(this.timeline);
    } else if (frame instanceof TranscriptionFrame || frame instanceof InterimTranscriptionFrame)
      frame.notedIn(this.timeline);
  }

  keepPast(): void {
    this.#keepsPast = true;
  }

  #keep(frame: Frame): void {
    const isCallers = [InputAudioFrame, TranscriptionFrame, InterimTranscriptionFrame].some(
      (of) => frame instanceof of,
    );
    if (isCallers) this.past.push(frame);
    if (this.past.length > MAX_PAST) this.past.shift();
  }

  fill(processors: readonly FrameProcessor[]): void {
    this.#keepsPast = false;
    this.past = [];
    const [first] = processors;
    if (this.#isOver || !first) return;
    this.#processors = processors;
    [this, ...processors, this.exit].reduce((previous, next) => {
      previous.link(next);
      return next;
    });
    const missed: Frame[] = [
      ...(this.#start ? [this.#start] : []),
      ...(this.#language ? [this.#language] : []),
      ...this.#failures,
      ...(this.#hasCaller ? [new CallerJoinedFrame()] : []),
      ...(this.#isBotSpeaking ? [new BotStartedSpeakingFrame()] : []),
    ];
    for (const frame of missed) this.exit.swallow(frame);
    for (const frame of missed) first.receive(frame, 'downstream');
  }

  override async cleanup(): Promise<void> {
    this.#isOver = true;
    const results = await Promise.allSettled(this.#processors.map(async (processor) => processor.cleanup()));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}

class SlotExit extends FrameProcessor {
  /** Frames of the past that are on their way here, which those behind the slot have had already. */
  readonly #had = new Set<Frame>();

  override process(frame: Frame, direction: FrameDirection): void {
    if (direction === 'upstream' || !this.#had.delete(frame)) this.push(frame, direction);
  }

  swallow(frame: Frame): void {
    this.#had.add(frame);
  }

  send(frame: Frame): void {
    this.push(frame);
  }

  sendBothWays(create: () => SystemFrame): void {
    this.broadcast(create);
  }

  dropSpeech(): void {
    const goesOn = mutationOf('interruptions_off');
    if (goesOn) noteMutation(this.timeline, goesOn);
    else this.interrupt();
  }
}
