import { type Deferred, deferred } from '../async/deferred.js';
import { Resampler } from '../audio/resampler.js';
import type { CallPort } from '../call/call-port.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CancelFrame,
  ControlFrame,
  EndFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  OutputAudioFrame,
  OutputDtmfFrame,
  SpeechHeardFrame,
  StartFrame,
  TTSStartedFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  type Turn,
  type Utterance,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { HeardText } from './heard-text.js';
import { type Pace, Playout, type PlayoutWire } from './playout.js';
import { SpeechNotes } from './speech-notes.js';

/** Bot audio held here before the pipeline is asked to wait, in milliseconds. */
const MAX_QUEUED_MS = 10_000;

/** Where a bot's speech goes. */
export interface SpeechWire extends PlayoutWire {
  readonly pace: Pace;
  /** Rate of the audio that is sent, in hertz; asked once, when the pipeline starts. */
  sampleRate(start: StartFrame): number;
  /** False when what is said can be heard by nobody, now or later: it is dropped. */
  isOpen(): boolean;
  /**
   * Sends digits behind the audio that is already on its way.
   * @throws VoicebotError
   */
  sendDtmf(digits: string): void | Promise<void>;
}

/** Stands in the queue behind what the bot has said so far. */
class SpeechMark extends ControlFrame {
  readonly reached: Deferred<void> = deferred();
}

/** What the voice tells about what it says. */
type SpeechNews = TTSStartedFrame | TTSTextFrame | TTSTimingFrame | TTSStoppedFrame;

function isSpeechNews(frame: Frame): frame is SpeechNews {
  return (
    frame instanceof TTSStartedFrame ||
    frame instanceof TTSTextFrame ||
    frame instanceof TTSTimingFrame ||
    frame instanceof TTSStoppedFrame
  );
}

/** Plays the pipeline's audio to the caller in real time and says when the bot is heard. */
export class SpeechOutput extends FrameProcessor {
  #playout: Playout | undefined;
  readonly #resamplers = new Map<number, Resampler>();
  readonly #notes = new SpeechNotes(() => this.timeline);
  readonly #heard = new HeardText((speech) => {
    this.#notes.heard(speech);
    this.push(new SpeechHeardFrame(speech.utterance, speech.text, speech.wasInterrupted));
  });
  /** Everything before this position of the playout was heard when the bot last fell silent, in milliseconds. */
  #heardUntilMs = 0;
  /** Turns whose first audio begins at a position that has not gone out yet. */
  #unreleased: Array<{ readonly turn: Turn; readonly atMs: number }> = [];
  /** What a voice is saying: audio until it stops is the bot's own. */
  #voice: Utterance | undefined;
  #mark: SpeechMark | undefined;
  #isOver = false;

  /** @param isEnabled false: the caller gets no audio */
  constructor(
    private readonly wire: SpeechWire,
    private readonly isEnabled: boolean,
    private readonly call: Pick<CallPort, 'hangUp' | 'released'>,
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof OutputAudioFrame) return this.#play(frame);
    if (frame instanceof EndFrame) return this.#end(frame);
    if (frame instanceof CancelFrame) return this.#cancel(frame);
    if (frame instanceof OutputDtmfFrame) return this.#sendDtmfAfterSpeech(frame.digits);
    if (frame instanceof SpeechMark) return this.#reach(frame);
    if (frame instanceof StartFrame) this.#start(frame);
    else if (frame instanceof InterruptionFrame) this.#interrupt();
    else this.#notes.see(frame);
    this.push(frame, direction);
    if (isSpeechNews(frame)) this.#note(frame);
  }

  /** The far end has played everything before the mark of this name. */
  markPlayed(name: string): void {
    this.#playout?.markPlayed(name);
  }

  /**
   * Says something behind what the pipeline has said so far. Resolves when the caller has heard all of it, or can hear nothing any
   * more. For one waiter at a time.
   */
  async announce(frames: readonly OutputAudioFrame[]): Promise<void> {
    for (const frame of frames) this.receive(frame, 'downstream');
    if (this.#isOver) return;
    this.#mark = new SpeechMark();
    this.receive(this.#mark, 'downstream');
    await this.#mark.reached.promise;
  }

  /** The wire is gone: nothing more can be heard on it. */
  stop(): void {
    this.#playout?.stop();
    this.#forgetSpeech();
    this.#mark?.reached.resolve();
  }

  override async cleanup(): Promise<void> {
    this.#isOver = true;
    this.stop();
    await this.call.released();
  }

  #start(frame: StartFrame): void {
    const { wire } = this;
    this.#playout ??= new Playout(
      wire.sampleRate(frame),
      wire,
      {
        started: () => {
          this.#notes.botStarted(this.#playout?.releasedMs ?? 0);
          this.broadcast(() => new BotStartedSpeakingFrame());
        },
        released: () => this.#markReleased(),
        late: (frames, ms) => this.#notes.late(frames, ms),
        stopped: (heardMs, wasInterrupted, heardUntilMs) => {
          this.#heardUntilMs = heardUntilMs;
          this.#notes.botStopped(heardMs, wasInterrupted);
          this.#heard.heardUntil(heardUntilMs);
          this.broadcast(() => new BotStoppedSpeakingFrame(heardMs, wasInterrupted));
        },
      },
      wire.pace,
    );
  }

  /** False when what is said is dropped. */
  get #isAudible(): boolean {
    return this.isEnabled && this.wire.isOpen();
  }

  /** Notes where in the audio the words stand. */
  #note(frame: SpeechNews): void {
    const atMs = this.#playout?.writtenMs ?? 0;
    const { utterance } = frame;
    if (frame instanceof TTSTextFrame) this.#heard.addText(utterance, frame.text, atMs);
    else if (frame instanceof TTSTimingFrame) this.#heard.addTiming(utterance, frame.words);
    else if (frame instanceof TTSStartedFrame) {
      this.#voice = utterance;
      if (!this.#isAudible) {
        this.push(new SpeechHeardFrame(utterance, '', true));
        return;
      }
      this.#heard.start(utterance, atMs);
      if (utterance.response) this.#unreleased.push({ turn: utterance.response.turn, atMs });
    } else {
      if (this.#voice === utterance) this.#voice = undefined;
      this.#heard.stop(utterance, atMs);
      if (!this.#playout?.isSpeaking) this.#heard.heardUntil(this.#heardUntilMs);
    }
  }

  #markReleased(): void {
    const releasedMs = this.#playout?.releasedMs ?? 0;
    while (this.#unreleased[0] && this.#unreleased[0].atMs < releasedMs)
      this.#unreleased.shift()?.turn.mark('firstReleased');
  }

  #play({ pcm, sampleRate }: OutputAudioFrame): void | Promise<void> {
    const playout = this.#playout;
    if (!playout || !this.#isAudible) return;
    const audio = sampleRate === playout.sampleRate ? pcm : this.#resampler(sampleRate, playout).process(pcm);
    playout.write(audio, this.#voice !== undefined);
    if (playout.queuedMs > MAX_QUEUED_MS) return playout.room(MAX_QUEUED_MS);
  }

  async #end(frame: EndFrame): Promise<void> {
    await this.#drain();
    await this.call.hangUp(frame.reason);
    this.push(frame);
  }

  async #cancel(frame: CancelFrame): Promise<void> {
    this.#interrupt();
    // After a failure another bot takes the caller over.
    if (frame.reason === 'failed') await this.call.released();
    else await this.call.hangUp();
    this.push(frame);
  }

  async #sendDtmfAfterSpeech(digits: string): Promise<void> {
    const { signal } = this;
    await this.#drain();
    if (signal.aborted) return;
    await this.wire.sendDtmf(digits);
    this.timeline?.note({ type: 'keys', direction: 'out', keys: digits });
  }

  async #reach(mark: SpeechMark): Promise<void> {
    await this.#drain();
    mark.reached.resolve();
  }

  /** Resolves when the utterance was played to its end, or was dropped. */
  async #drain(): Promise<void> {
    if (!this.#playout?.isSpeaking) return;
    for (const resampler of this.#resamplers.values()) this.#playout.write(resampler.flush());
    await this.#playout.drain();
  }

  #interrupt(): void {
    this.#playout?.interrupt();
    this.#forgetSpeech();
  }

  #forgetSpeech(): void {
    this.#heard.cut(this.#heardUntilMs);
    this.#voice = undefined;
    this.#unreleased = [];
    for (const resampler of this.#resamplers.values()) resampler.reset();
  }

  #resampler(sampleRate: number, playout: Playout): Resampler {
    const known = this.#resamplers.get(sampleRate);
    if (known) return known;
    const resampler = new Resampler(sampleRate, playout.sampleRate);
    this.#resamplers.set(sampleRate, resampler);
    return resampler;
  }
}
