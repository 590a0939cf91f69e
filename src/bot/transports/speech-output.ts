import { unlessAborted } from '../../base/async/deadline.js';
import { type DtmfDigit, dtmfDigitsOf, generateKeys } from '../../base/audio/dtmf.js';
import { VoicebotError } from '../../base/errors.js';
import type { CallPort } from '../../call/call-port.js';
import { mutationOf, noteMutation } from '../../call/mutation.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CancelFrame,
  EndFrame,
  type Frame,
  type FrameDirection,
  HoldSpeechFrame,
  InterruptionFrame,
  OutputAudioFrame,
  OutputDtmfFrame,
  ResumeSpeechFrame,
  SpeechHeardFrame,
  StartFrame,
  TTSStartedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  type Turn,
  type Utterance,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { LineFrame } from '../pipeline/recorded-lines.js';
import { EarlySpeech, isSpeechNews, type SpeechNews, undecidedTurn } from './early-speech.js';
import { ProofFrame } from './heard-proof.js';
import { HeardText } from './heard-text.js';
import { KeyPresses, SpeechMark } from './output-marks.js';
import { OutputResamplers } from './output-resamplers.js';
import { Playout } from './playout.js';
import { SpeechNotes } from './speech-notes.js';
import type { SpeechWire } from './speech-wire.js';

/** Bot audio held here before the pipeline is asked to wait, in milliseconds. */
const MAX_QUEUED_MS = 10_000;

/** Plays the pipeline's audio to the caller in real time and says when the bot is heard. */
export class SpeechOutput extends FrameProcessor {
  #playout: Playout | undefined;
  readonly #early = new EarlySpeech();
  readonly #resamplers = new OutputResamplers();
  readonly #notes = new SpeechNotes(() => this.timeline);
  /** Recorded lines among what is heard. */
  readonly #lines = new WeakMap<Utterance, LineFrame>();
  readonly #heard = new HeardText((speech) => {
    const line = this.#lines.get(speech.utterance);
    if (line) return this.#notes.playedLine(line, speech);
    this.#notes.heard(speech);
    const { utterance, text, wasInterrupted, startMs, endMs } = speech;
    this.broadcast(() => new SpeechHeardFrame(utterance, text, wasInterrupted, endMs - startMs));
  });
  /** Everything before this position of the playout was heard when the bot last fell silent, in milliseconds. */
  #heardUntilMs = 0;
  /** Turns whose first audio begins at a position that has not gone out yet. */
  #unreleased: Array<{ readonly turn: Turn; readonly atMs: number }> = [];
  /** What a voice is saying: audio until it stops is the bot's own. */
  #voice: Utterance | undefined;
  #mark: SpeechMark | undefined;
  #keys = new Set<KeyPresses>();
  /** What plays are the tones of keys, and nothing else. */
  #isPressing = false;
  #start: StartFrame | undefined;
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
    const turn = undecidedTurn(frame);
    return turn ? this.#await(turn, frame, direction) : this.#process(frame, direction);
  }

  async #await(turn: Turn, frame: Frame, direction: FrameDirection): Promise<void> {
    const { signal } = this;
    await unlessAborted(turn.decided, signal).catch(() => {});
    if (!signal.aborted) await this.#process(frame, direction);
  }

  #process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (this.#early.drops(frame)) return;
    if (frame instanceof OutputAudioFrame) return this.#play(frame);
    if (frame instanceof EndFrame) return this.#end(frame);
    if (frame instanceof CancelFrame) return this.#cancel(frame);
    if (frame instanceof OutputDtmfFrame) return this.#pressAfterSpeech(frame.digits);
    if (frame instanceof KeyPresses) return this.#pressAll(frame);
    if (frame instanceof SpeechMark) return this.#reach(frame);
    if (frame instanceof ProofFrame) return this.#drain().then(() => this.#begin()?.prove(frame.proof));
    if (frame instanceof HoldSpeechFrame) this.#hold();
    else if (frame instanceof ResumeSpeechFrame) this.#resume();
    if (frame instanceof StartFrame) {
      this.#start = frame;
      frame.holdsEarlyAnswers = true;
    } else if (frame instanceof InterruptionFrame) this.#interrupt();
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

  /**
   * Presses keys: at once, behind the audio that is already on its way; where the wire carries no keys, their tones are played behind
   * what the pipeline has said so far, and have been heard then.
   * @throws VoicebotError VB_REQUEST_INVALID, VB_STREAM_CLOSED, and what the wire refuses them with
   */
  async press(digits: string): Promise<void> {
    if (this.wire.pressesKeys) {
      await this.wire.sendDtmf(digits);
      this.#noteKeys(digits);
      return;
    }
    dtmfDigitsOf(digits);
    if (this.#isOver || !this.wire.isOpen()) throw unheardKeys();
    const keys = new KeyPresses(digits);
    this.#keys.add(keys);
    this.receive(keys, 'downstream');
    await keys.pressed.promise.finally(() => this.#keys.delete(keys));
  }

  /** The wire is gone: nothing more can be heard on it. */
  stop(): void {
    for (const { pressed } of this.#keys) pressed.reject(unheardKeys());
    this.#playout?.stop();
    this.#forgetSpeech();
    this.#mark?.reached.resolve();
  }

  override async cleanup(): Promise<void> {
    this.#isOver = true;
    this.stop();
    await this.call.released();
  }

  /** Undefined before the pipeline starts. */
  #begin(): Playout | undefined {
    const { wire } = this;
    if (this.#playout || !this.#start) return this.#playout;
    this.#playout = new Playout(
      wire.sampleRate(this.#start),
      wire,
      {
        started: () => this.#started(),
        released: () => this.#markReleased(),
        late: (frames, ms) => this.#notes.late(frames, ms),
        stopped: (heardMs, wasInterrupted, heardUntilMs) => this.#stopped(heardMs, wasInterrupted, heardUntilMs),
      },
      wire.pace,
    );
    return this.#playout;
  }

  #started(): void {
    if (this.#isPressing) return;
    this.#notes.botStarted(this.#playout?.releasedMs ?? 0);
    this.broadcast(() => new BotStartedSpeakingFrame());
  }

  #stopped(heardMs: number, wasInterrupted: boolean, heardUntilMs: number): void {
    this.#heardUntilMs = heardUntilMs;
    if (this.#isPressing) return;
    this.#notes.botStopped(heardMs, wasInterrupted);
    this.#heard.heardUntil(heardUntilMs);
    this.broadcast(() => new BotStoppedSpeakingFrame(heardMs, wasInterrupted));
  }

  /** False when what is said is dropped. */
  get #isAudible(): boolean {
    return this.isEnabled && this.wire.isOpen();
  }

  /** Notes where in the audio the words stand. */
  #note(frame: SpeechNews): void {
    const { writtenMs: atMs = 0, waitingMs = 0 } = this.#playout ?? {};
    const { utterance } = frame;
    if (frame instanceof TTSTextFrame) {
      if (this.#heard.addText(utterance, frame.text, atMs)) this.#notes.saying(utterance, frame.text, waitingMs);
    } else if (frame instanceof TTSTimingFrame)
      this.#notes.wordTimes(this.#heard.addTiming(utterance, frame.words), this.#playout?.playedMs);
    else if (frame instanceof TTSStartedFrame) {
      this.#voice = utterance;
      if (!this.#isAudible) {
        this.broadcast(() => new SpeechHeardFrame(utterance, '', true));
        return;
      }
      this.#heard.start(utterance, atMs);
      if (utterance.response) this.#unreleased.push({ turn: utterance.response.turn, atMs });
    } else {
      this.#complete();
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

  #play(frame: OutputAudioFrame): void | Promise<void> {
    if (!this.#isAudible) return;
    const playout = this.#begin();
    if (!playout) return;
    const { pcm, sampleRate } = frame;
    const audio = this.#resamplers.process(pcm, sampleRate, playout.sampleRate);
    const line = frame instanceof LineFrame ? this.#startLine(frame, playout.writtenMs) : undefined;
    playout.write(audio, this.#voice !== undefined);
    if (line) this.#complete();
    if (line) this.#heard.stop(line, playout.writtenMs);
    if (playout.queuedMs > MAX_QUEUED_MS) return playout.room(MAX_QUEUED_MS);
  }

  #startLine(frame: LineFrame, atMs: number): Utterance {
    const utterance = { id: 0, appendToContext: false };
    this.#lines.set(utterance, frame);
    this.#heard.start(utterance, atMs);
    this.#heard.addText(utterance, frame.text, atMs);
    return utterance;
  }

  async #end(frame: EndFrame): Promise<void> {
    await this.#drain();
    const neverEnds = mutationOf('never_hangs_up');
    if (neverEnds) return noteMutation(this.timeline, neverEnds);
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

  async #pressAfterSpeech(digits: string): Promise<void> {
    const { signal } = this;
    await this.#drain();
    if (signal.aborted) return;
    if (this.wire.pressesKeys) await this.wire.sendDtmf(digits);
    else await this.#playTones(dtmfDigitsOf(digits));
    this.#noteKeys(digits);
  }

  async #pressAll({ digits, pressed }: KeyPresses): Promise<void> {
    await this.#drain();
    try {
      await this.#playTones(dtmfDigitsOf(digits));
      this.#noteKeys(digits);
      pressed.resolve();
    } catch (error) {
      pressed.reject(error);
    }
  }

  /** An interruption does not stop them: half a number would be dialled. @throws VoicebotError VB_STREAM_CLOSED */
  async #playTones(digits: readonly DtmfDigit[]): Promise<void> {
    const playout = this.wire.isOpen() ? this.#begin() : undefined;
    if (!playout) throw unheardKeys();
    this.#isPressing = true;
    playout.write(generateKeys(digits, playout.sampleRate), true);
    await playout.drain();
    this.#isPressing = false;
    if (!this.wire.isOpen()) throw unheardKeys();
  }

  #noteKeys(keys: string): void {
    this.timeline?.note({ type: 'keys', direction: 'out', keys });
  }

  async #reach(mark: SpeechMark): Promise<void> {
    await this.#drain();
    this.#playout?.proven();
    mark.reached.resolve();
  }

  /** Resolves when the utterance was played to its end, or was dropped. */
  async #drain(): Promise<void> {
    if (!this.#playout?.isSpeaking) return;
    this.#complete();
    await this.#playout.drain();
  }

  /** A piece of speech is whole: nothing of it waits for more. */
  #complete(): void {
    const rests = this.#resamplers.flush();
    if (!this.#playout?.isSpeaking) return; // behind its end they would be heard as speech of their own
    for (const rest of rests) this.#playout.write(rest, true);
    this.#playout.complete();
  }

  #hold(): void {
    const playout = this.#begin();
    if (!playout || this.#isPressing) return;
    this.#notes.held(playout.isSpeaking);
    playout.hold((heardUntilMs) => this.#heard.wordStart(heardUntilMs));
  }

  #resume(): void {
    this.#notes.wentOn(true);
    this.#playout?.resume();
    for (const words of this.#heard.wordsAfter(this.#playout?.playedMs ?? 0))
      this.#notes.wordTimes(words, this.#playout?.playedMs);
  }

  #interrupt(): void {
    this.#notes.wentOn(false);
    this.#early.reset();
    if (this.#isPressing) this.#playout?.resume();
    else this.#playout?.interrupt();
    this.#forgetSpeech();
  }

  #forgetSpeech(): void {
    this.#heard.cut(this.#heardUntilMs);
    this.#voice = undefined;
    this.#unreleased = [];
    this.#resamplers.reset();
  }
}

const unheardKeys = () => new VoicebotError('VB_STREAM_CLOSED', 'keys cannot be pressed');
