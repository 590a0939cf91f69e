import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';
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
import { CallScreening, SCREENING_OPTIONS, type ScreeningOptions } from './call-screening.js';
import { HoldConversationFrame, RestartConversationFrame, StopConversationFrame } from './conversation-frames.js';
import { VoicemailDetector, type VoicemailDetectorOptions, type VoicemailEvidence } from './voicemail-detector.js';

/** What becomes of a call that a screening assistant has answered: `asked` first, then one of the others. */
export type ScreeningStatus = 'asked' | 'person' | 'machine' | 'no_person';

/** How machines and screening assistants are recognised, and what they are told. */
export interface VoicemailGateOptions extends VoicemailDetectorOptions {
  /** Left after the beep; then the call is ended. Default: the call is ended at once. */
  message?: string;
  /** Longest wait for the beep, in milliseconds, 1000 to 300000; the message is left then all the same. Default 30000. */
  beepTimeoutMs?: number;
  /** Quiet after the greeting that stands for a beep, in milliseconds, 500 to 60000. Default 2000. */
  silenceTimeoutMs?: number;
  /**
   * What a screening assistant is told. False: the conversation talks to it as to a person, as it does where there is no `reason`. Default: the
   * greeting, in a `converse`; otherwise the message.
   */
  screening?: ScreeningOptions | false;
  /** Told once, when the bot has been interrupted and before anything is said. */
  onMachine?: (evidence: VoicemailEvidence) => void;
  /** Told when a screening assistant has been recognised, and what became of it. */
  onScreening?: (status: ScreeningStatus) => void;
}

/** What a gate has of the call it stands in, beside its pipeline. */
export interface GateScene {
  /** What the other party has said before the conversation began. */
  readonly past: readonly Frame[];
  /** Says what is to be said first to who listens now. Resolves when they have heard it, or the call is over; undefined: there is no such thing. */
  readonly disclose: (() => Promise<void>) | undefined;
  /** Told when a screening assistant has answered: what was heard so far, the person behind it has not heard. */
  readonly screened?: (() => void) | undefined;
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
  screening: true,
  onMachine: true,
  onScreening: true,
};

/**
 * Stands between speech-to-text and the conversation, and lets everything pass until a machine or a screening assistant is known to have
 * answered. Then the bot is interrupted, and nothing more that it says gets through. After the beep of a machine the message is left and the call
 * ended with the reason `voicemail`. A screening assistant is told who calls and why; when the person comes on the conversation begins anew, and
 * when they do not the call is ended with the reason `screened`.
 */
export class VoicemailGate extends FrameProcessor {
  readonly #options: VoicemailGateOptions;
  readonly #beepTimeoutMs: number;
  readonly #silenceTimeoutMs: number;
  readonly #waitMs: number;
  /** What a screening assistant is told. */
  readonly #reason: string | undefined;
  #sampleRate = 8_000;
  #detector: VoicemailDetector | undefined;
  #screening: CallScreening | undefined;
  #state: 'listening' | 'screened' | 'waiting for the beep' | 'over' = 'listening';
  #beepTimer: NodeJS.Timeout | undefined;

  /** @throws VoicebotError VB_CONFIG_INVALID for an option that is not known, or out of its range */
  constructor(
    options: VoicemailGateOptions = {},
    private scene: GateScene = { past: [], disclose: undefined },
  ) {
    super();
    const { beepTimeoutMs = 30_000, silenceTimeoutMs = 2_000 } = options;
    const screening = options.screening === false ? undefined : (options.screening ?? {});
    const { reason = options.message, waitMs = 45_000 } = screening ?? {};
    const problems = [
      ...unknownOptions(options, OPTIONS),
      ...unknownOptions(screening, SCREENING_OPTIONS, 'screening.'),
      ...rangeProblems({
        beepTimeoutMs: [beepTimeoutMs, 1_000, 300_000],
        silenceTimeoutMs: [silenceTimeoutMs, 500, 60_000],
        'screening.waitMs': [waitMs, 5_000, 300_000],
      }),
    ];
    if (screening?.reason?.trim() === '') problems.push('screening.reason must have words');
    refuseProblems(problems);
    new VoicemailDetector(8_000, options); // refuses bad options now, not when the call is there
    this.#options = options;
    this.#beepTimeoutMs = beepTimeoutMs;
    this.#silenceTimeoutMs = silenceTimeoutMs;
    this.#waitMs = waitMs;
    this.#reason = screening && reason;
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) this.#sampleRate = frame.audioInSampleRate;
    if (frame instanceof StartFrame || frame instanceof CallerJoinedFrame) this.#begin();
    if (frame instanceof CallerJoinedFrame) this.#catchUp();
    if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#end();
    const isHeld = this.#holds(frame); // what a person comes on with has been told with their coming
    if (direction === 'downstream' && this.#hears(frame)) this.#act();
    // an answer to what the machine said before it was known, for instance
    if (frame instanceof BotStartedSpeakingFrame && this.#state === 'waiting for the beep') this.interrupt();
    if (!isHeld && !this.#holds(frame)) this.push(frame, direction);
    else if (this.#state === 'screened' && frame instanceof TranscriptionFrame) frame.notedIn(this.timeline);
  }

  override cleanup(): void {
    this.#end();
  }

  /** Begins anew when the other party is there: a line that still rings tells nothing of who will answer. */
  #begin(): void {
    if (this.#detector?.evidence !== undefined || this.#state === 'screened') return;
    this.#detector = new VoicemailDetector(this.#sampleRate, this.#options);
    this.#state = 'listening';
  }

  /** What was said while the bot said who it is. */
  #catchUp(): void {
    const { past } = this.scene;
    this.scene = { ...this.scene, past: [] };
    for (const frame of past) this.#hears(frame);
    if (past.length > 0) this.#act();
  }

  #holds(frame: Frame): boolean {
    return isFromCaller(frame) && (this.#state === 'screened' || this.#detector?.evidence !== undefined);
  }

  /** Shows the frame to the detector. @returns whether it said something that may change what is known */
  #hears(frame: Frame): boolean {
    if (this.#state === 'over') return false;
    if (frame instanceof InputAudioFrame) this.#detector?.hearAudio(frame.pcm);
    else if (frame instanceof TranscriptionFrame) this.#detector?.hearWords(frame.text);
    else if (frame instanceof InterimTranscriptionFrame) this.#detector?.hearWords(frame.text, true);
    else return false;
    if (frame instanceof InputAudioFrame) this.#screening?.hearAudio(frame.pcm);
    else if (frame instanceof TranscriptionFrame && this.#screening) {
      this.#screening.hearWords(frame.text);
    }
    return true;
  }

  #act(): void {
    const { state, evidence, silenceMs = 0 } = this.#detector ?? {};
    if (state === 'human' || (state === 'screener' && this.#reason === undefined)) {
      this.#end();
      return;
    }
    if (state === 'screener' && this.#state === 'listening') this.#meetScreener(this.#reason as string);
    if (evidence === undefined) return;
    if (this.#state === 'listening') this.#meetMachine(evidence);
    const mayLeave = !this.#options.message || state === 'beep' || silenceMs >= this.#silenceTimeoutMs;
    if (mayLeave && this.#state === 'waiting for the beep') this.#leave();
  }

  #meetScreener(reason: string): void {
    const { phrases = [], onScreening } = this.#options;
    this.#state = 'screened';
    this.scene.screened?.();
    this.interrupt();
    this.push(new HoldConversationFrame());
    this.#screening = new CallScreening(this.#sampleRate, this.#waitMs, phrases, {
      answer: () => this.push(new TTSSpeakFrame(reason, { appendToContext: false })),
      person: (words) => {
        this.interrupt(); // the person need not hear to its end what the assistant was told
        this.#disclosed(() => {
          this.#end();
          onScreening?.('person');
          this.push(new RestartConversationFrame(words));
        });
      },
      machine: () => {
        this.#screening = undefined;
        this.#detector?.becomeMachine();
        onScreening?.('machine');
        this.#meetMachine('phrase');
      },
      giveUp: () => {
        this.#end();
        this.interrupt();
        onScreening?.('no_person');
        this.push(new EndFrame('screened'));
      },
    });
    onScreening?.('asked');
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
    const { message } = this.#options;
    if (!message) this.push(new EndFrame('voicemail'));
    else
      this.#disclosed(() => {
        this.push(new TTSSpeakFrame(message));
        this.push(new EndFrame('voicemail'));
      });
  }

  /** Goes on when who listens now has heard what is to be heard first. */
  #disclosed(goOn: () => void): void {
    const { disclose } = this.scene;
    if (disclose) void disclose().then(goOn);
    else goOn();
  }

  #end(): void {
    this.#state = 'over';
    clearTimeout(this.#beepTimer);
    this.#screening?.stop();
    this.#screening = undefined;
  }
}

const isFromCaller = (frame: Frame) =>
  frame instanceof InputAudioFrame || frame instanceof TranscriptionFrame || frame instanceof InterimTranscriptionFrame;
