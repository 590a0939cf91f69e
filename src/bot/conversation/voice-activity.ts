import { EnergyDetector } from '../../base/audio/energy-detector.js';
import type { CreateVoiceDetector, VoiceDetector } from '../../base/audio/voice-detector.js';
import { VoicebotError } from '../../base/errors.js';

export interface VoiceActivityListener {
  /** Whether the next `ms` of the caller's audio, in order, ends with speech. */
  heard(isSpeech: boolean, ms: number): void;
  /** The detector is not asked any more, and the energy detector goes on. Told once. */
  replaced(error: VoicebotError): void;
  /** The detector could not be made. The energy detector goes on here too. */
  failed(error: Error): void;
}

interface JudgedAudio {
  readonly ms: number;
  /** What the energy detector says. */
  readonly fallback: boolean;
  /** What the detector says; unknown until it has answered. */
  answer: boolean | undefined;
}

/** A detector that owes the answers to more than this is late, in milliseconds of audio. */
const LATE_MS = 500;
/** Audio that comes all at once, after a stall, leaves a detector this long to catch up, in milliseconds. */
const CATCH_UP_MS = 100;

/**
 * Asks the detector of a call whether the caller speaks, and says so in the order of the audio, also for a detector that takes its
 * time. The energy detector judges until there is a detector, and goes on alone when that throws, rejects or is late.
 */
export class VoiceActivity {
  #sampleRate = 0;
  /** Undefined until it has been made, and when it is not asked any more. */
  #detector: VoiceDetector | undefined;
  /** Hears everything beside another detector, so that it knows the noise when it is needed. */
  #energy: EnergyDetector | undefined;
  /** The energy detector heard speech when the detector took over, which has not noticed it yet. */
  #isCarriedOver = false;
  /** Audio without an answer, or behind such audio; the oldest first. */
  readonly #waiting: JudgedAudio[] = [];
  #waitingMs = 0;
  #lateTimer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    private readonly create: CreateVoiceDetector,
    private readonly listener: VoiceActivityListener,
  ) {}

  /** How long after the last sound of speech the detector that judges now still says speech, in milliseconds. */
  get hangoverMs(): number {
    return (this.#detector ?? this.#energy)?.hangoverMs ?? 0;
  }

  /** Makes the detector. @param sampleRate of all audio, in hertz. @throws what making a detector throws */
  start(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    const created = this.create(sampleRate);
    if (created instanceof EnergyDetector) this.#energy = created;
    else this.#energy = new EnergyDetector(sampleRate);
    if (created instanceof Promise) created.then(this.#take, (error) => this.#isOver || this.listener.failed(error));
    else if (created !== this.#energy) this.#detector = created;
  }

  /** Takes the caller's next audio; ignored before the start and after the stop. */
  hear(pcm: Int16Array): void {
    if (!this.#energy || this.#isOver) return;
    const fallback = this.#energy.isSpeech(pcm);
    const piece: JudgedAudio = { ms: (pcm.length * 1_000) / this.#sampleRate, fallback, answer: undefined };
    this.#waiting.push(piece);
    this.#waitingMs += piece.ms;
    if (this.#detector) this.#ask(this.#detector, pcm, piece);
    else piece.answer = fallback;
    this.#tell();
    if (this.#waitingMs > LATE_MS) this.#lateTimer ??= setTimeout(() => this.#onLate(), CATCH_UP_MS);
  }

  /** Nothing more is said. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#lateTimer);
    this.#waiting.length = 0;
    if (this.#detector) closeQuietly(this.#detector);
  }

  readonly #take = (detector: VoiceDetector): void => {
    if (this.#isOver) {
      closeQuietly(detector);
      return;
    }
    this.#isCarriedOver = true;
    this.#detector = detector;
  };

  #ask(detector: VoiceDetector, pcm: Int16Array, piece: JudgedAudio): void {
    try {
      const answer = detector.isSpeech(pcm);
      if (typeof answer === 'boolean') piece.answer = answer;
      else answer.then((isSpeech) => this.#onAnswer(piece, isSpeech), this.#onRejected);
    } catch (error) {
      this.#replace('threw an error', error);
    }
  }

  #onAnswer(piece: JudgedAudio, isSpeech: boolean): void {
    piece.answer ??= isSpeech;
    this.#tell();
  }

  readonly #onRejected = (error: unknown): void => this.#replace('rejected', error);

  /** Says what is known, up to the first audio without an answer. */
  #tell(): void {
    for (let [piece] = this.#waiting; piece?.answer !== undefined; [piece] = this.#waiting) {
      this.#waiting.shift();
      this.#waitingMs -= piece.ms;
      this.#isCarriedOver &&= piece.fallback && !piece.answer;
      this.listener.heard(piece.answer || this.#isCarriedOver, piece.ms);
    }
  }

  #onLate(): void {
    this.#lateTimer = undefined;
    if (this.#waitingMs > LATE_MS) this.#replace(`owes the answers to ${Math.round(this.#waitingMs)} ms of audio`);
  }

  #replace(what: string, cause?: unknown): void {
    const detector = this.#detector;
    if (!detector || this.#isOver) return;
    this.#detector = undefined;
    clearTimeout(this.#lateTimer);
    for (const piece of this.#waiting) piece.answer ??= piece.fallback;
    const why = cause instanceof Error ? `${what}: ${cause.message}` : what;
    this.listener.replaced(
      new VoicebotError('VB_DETECTOR_FAILED', `it ${why}`, { cause, hint: 'use another detector' }),
    );
    this.#tell();
    closeQuietly(detector);
  }
}

/** The call goes on, or is over, all the same. */
function closeQuietly(detector: VoiceDetector): void {
  try {
    detector.close?.();
  } catch {}
}
