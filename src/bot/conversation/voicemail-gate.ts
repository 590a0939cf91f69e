import { VoicebotError } from '../../base/errors.js';
import { type OptionNames, unknownOptions } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import {
  BotStartedSpeakingFrame,
  CallerJoinedFrame,
  CancelFrame,
  EndFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  StartFrame,
  TranscriptionFrame,
  TTSSpeakFrame,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { StopConversationFrame } from './conversation-frames.js';
import { VoicemailDetector, type VoicemailDetectorOptions, type VoicemailEvidence } from './voicemail-detector.js';

/** How a machine is recognised, and what it is told. */
export interface VoicemailGateOptions extends VoicemailDetectorOptions {
  /** Left after the beep; then the call is ended. Default: the call is ended at once. */
  message?: string;
  /** Longest wait for the beep, in milliseconds, 1000 to 300000; the message is left then all the same. Default 30000. */
  beepTimeoutMs?: number;
  /** Quiet after the greeting that stands for a beep, in milliseconds, 500 to 60000. Default 2000. */
  silenceTimeoutMs?: number;
  /** Told once, when the bot has been interrupted and before anything is said. */
  onMachine?: (evidence: VoicemailEvidence) => void;
}

const OPTIONS: OptionNames<VoicemailGateOptions> = {
  phrases: true,
  longGreetingMs: true,
  humanSilenceMs: true,
  decideWithinMs: true,
  giveUpAfterMs: true,
  message: true,
  beepTimeoutMs: true,
  silenceTimeoutMs: true,
  onMachine: true,
};

/**
 * Stands between speech-to-text and the conversation, and lets everything pass until a machine is known to have answered. Then the
 * bot is interrupted, nothing more that the machine says gets through, and after its beep the message is left and the call
 * ended with the reason `voicemail`.
 */
export class VoicemailGate extends FrameProcessor {
  readonly #options: VoicemailGateOptions;
  readonly #beepTimeoutMs: number;
  readonly #silenceTimeoutMs: number;
  #sampleRate = 8_000;
  #detector: VoicemailDetector | undefined;
  #state: 'listening' | 'waiting for the beep' | 'over' = 'listening';
  #beepTimer: NodeJS.Timeout | undefined;

  /** @throws VoicebotError VB_CONFIG_INVALID for an option that is not known, or out of its range */
  constructor(options: VoicemailGateOptions = {}) {
    super();
    const { beepTimeoutMs = 30_000, silenceTimeoutMs = 2_000 } = options;
    const problems = [
      ...unknownOptions(options, OPTIONS),
      ...rangeProblems({
        beepTimeoutMs: [beepTimeoutMs, 1_000, 300_000],
        silenceTimeoutMs: [silenceTimeoutMs, 500, 60_000],
      }),
    ];
    if (problems.length > 0) throw new VoicebotError('VB_CONFIG_INVALID', problems.join('; '));
    new VoicemailDetector(8_000, options); // refuses bad options now, not when the call is there
    this.#options = options;
    this.#beepTimeoutMs = beepTimeoutMs;
    this.#silenceTimeoutMs = silenceTimeoutMs;
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) this.#sampleRate = frame.audioInSampleRate;
    if (frame instanceof StartFrame || frame instanceof CallerJoinedFrame) this.#begin();
    if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#end();
    if (direction === 'downstream' && this.#hears(frame)) this.#act();
    // an answer to what the machine said before it was known, for instance
    if (frame instanceof BotStartedSpeakingFrame && this.#state === 'waiting for the beep') this.interrupt();
    const isFromMachine = isFromCaller(frame) && this.#detector?.evidence !== undefined;
    if (!isFromMachine) this.push(frame, direction);
  }

  override cleanup(): void {
    this.#end();
  }

  /** Begins anew when the other party is there: a line that still rings tells nothing of who will answer. */
  #begin(): void {
    if (this.#detector?.evidence !== undefined) return;
    this.#detector = new VoicemailDetector(this.#sampleRate, this.#options);
    this.#state = 'listening';
  }

  /** Shows the frame to the detector. @returns whether it said something that may change what is known */
  #hears(frame: Frame): boolean {
    if (this.#state === 'over') return false;
    if (frame instanceof InputAudioFrame) this.#detector?.hearAudio(frame.pcm);
    else if (frame instanceof TranscriptionFrame) this.#detector?.hearWords(frame.text);
    else if (frame instanceof InterimTranscriptionFrame) this.#detector?.hearWords(frame.text, true);
    else return false;
    return true;
  }

  #act(): void {
    const { state, evidence, silenceMs = 0 } = this.#detector ?? {};
    if (state === 'human') {
      this.#end();
      return;
    }
    if (evidence === undefined) return;
    if (this.#state === 'listening') this.#meetMachine(evidence);
    const mayLeave = !this.#options.message || state === 'beep' || silenceMs >= this.#silenceTimeoutMs;
    if (mayLeave && this.#state === 'waiting for the beep') this.#leave();
  }

  #meetMachine(evidence: VoicemailEvidence): void {
    this.#state = 'waiting for the beep';
    this.interrupt();
    this.push(new StopConversationFrame());
    this.#beepTimer = setTimeout(() => this.#leave(), this.#beepTimeoutMs);
    this.#options.onMachine?.(evidence);
  }

  #leave(): void {
    this.#end();
    this.interrupt(); // whatever the bot says by now was not meant for a machine
    if (this.#options.message) this.push(new TTSSpeakFrame(this.#options.message));
    this.push(new EndFrame('voicemail'));
  }

  #end(): void {
    this.#state = 'over';
    clearTimeout(this.#beepTimer);
  }
}

const isFromCaller = (frame: Frame) =>
  frame instanceof InputAudioFrame || frame instanceof TranscriptionFrame || frame instanceof InterimTranscriptionFrame;
