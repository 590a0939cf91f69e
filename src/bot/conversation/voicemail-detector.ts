import { BeepDetector } from '../../base/audio/beep-detector.js';
import { EnergyDetector } from '../../base/audio/energy-detector.js';
import { refuseProblems } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import { AnswererJudge } from './answerers/answerer-judge.js';
import { wordsOnly } from './answerers/spoken-words.js';

/**
 * Who has answered. `beep` is a machine that has said it records now. `human` is final, and also what is assumed when time is up;
 * `screener` is a screening assistant, which answers in place of a person who may still come on. `machine` becomes `beep` or stays.
 */
export type VoicemailState = 'unknown' | 'human' | 'screener' | 'machine' | 'beep';

/** What a machine was known by. */
export type VoicemailEvidence = 'phrase' | 'long_greeting' | 'beep';

export interface VoicemailDetectorOptions {
  /**
   * What machines say and people never do, beside what is known in English, German, Spanish, French and Italian. Case, accents and punctuation
   * do not matter.
   */
  phrases?: readonly string[];
  /**
   * A person does not answer the phone with so long a speech without a pause, in milliseconds, 2000 or more; Infinity for never. The quiet after it
   * does not count. Default 10000.
   */
  longGreetingMs?: number;
  /** Quiet after a short answer that makes a human of who gave it, in milliseconds, 300 to 5000. Default 1200; doubled after a long one, and two and a half times as long after one or two words, with which machines begin, too. */
  humanSilenceMs?: number;
  /** Time after the first words for finding out, in milliseconds, 1000 to 60000. Default 8000. */
  decideWithinMs?: number;
  /** Time for finding out when there are no words, in milliseconds, 1000 to 300000. Default 20000. */
  giveUpAfterMs?: number;
}

const STATES = { unknown: 'unknown', person: 'human', machine: 'machine', screener: 'screener' } as const;

/**
 * Finds out whether a human, a machine or a screening assistant has answered, from what it says and how it sounds. Time is that of the audio it
 * is given.
 */
export class VoicemailDetector {
  readonly #judge: AnswererJudge;
  readonly #voice: EnergyDetector;
  readonly #beep: BeepDetector;
  readonly #sampleRate: number;
  #state: VoicemailState = 'unknown';
  #evidence: VoicemailEvidence | undefined;

  /**
   * @param sampleRate hertz: 8000, 16000, 24000 or 48000
   * @throws VoicebotError VB_CONFIG_INVALID naming every option out of its range, VB_AUDIO_INVALID for another rate
   */
  constructor(sampleRate: number, options: VoicemailDetectorOptions = {}) {
    const { phrases = [], longGreetingMs = 10_000, humanSilenceMs = 1_200 } = options;
    const { decideWithinMs = 8_000, giveUpAfterMs = 20_000 } = options;
    const problems = rangeProblems({
      longGreetingMs: [longGreetingMs, 2_000, Number.POSITIVE_INFINITY],
      humanSilenceMs: [humanSilenceMs, 300, 5_000],
      decideWithinMs: [decideWithinMs, 1_000, 60_000],
      giveUpAfterMs: [giveUpAfterMs, 1_000, 300_000],
    });
    if (phrases.some((phrase) => !wordsOnly(phrase))) problems.push('phrases must have words');
    refuseProblems(problems);
    this.#judge = new AnswererJudge({ longGreetingMs, humanSilenceMs, decideWithinMs, giveUpAfterMs }, phrases);
    this.#sampleRate = sampleRate;
    this.#voice = new EnergyDetector(sampleRate);
    this.#beep = new BeepDetector(sampleRate);
  }

  get state(): VoicemailState {
    return this.#state;
  }

  /** What the machine was known by; undefined while it is none. */
  get evidence(): VoicemailEvidence | undefined {
    return this.#evidence;
  }

  /** How long the line has been quiet, in milliseconds of audio. */
  get silenceMs(): number {
    return this.#judge.silenceMs;
  }

  /** @param isInterim replaced by the next words, final or not */
  hearWords(text: string, isInterim = false): VoicemailState {
    this.#judge.hearWords(text, isInterim);
    return this.#update();
  }

  hearAudio(pcm: Int16Array): VoicemailState {
    if (this.#state === 'human') return this.#state;
    const hasBeeped = this.#beep.process(pcm);
    this.#judge.hearSound(this.#voice.isSpeech(pcm), (pcm.length * 1_000) / this.#sampleRate);
    const isMachines = this.#evidence !== undefined || !this.#judge.hasAnswered;
    if (!hasBeeped || !isMachines || this.#state === 'screener') return this.#update(); // assistants beep, too
    this.#evidence ??= 'beep';
    this.#state = 'beep';
    return this.#state;
  }

  /** A screening assistant has said that a message can be left. */
  becomeMachine(): void {
    this.#evidence = 'phrase';
    this.#state = 'machine';
  }

  #update(): VoicemailState {
    if (this.#state !== 'unknown') return this.#state;
    this.#state = STATES[this.#judge.verdict];
    if (this.#state === 'machine') this.#evidence = this.#judge.isKnownByLength ? 'long_greeting' : 'phrase';
    return this.#state;
  }
}
