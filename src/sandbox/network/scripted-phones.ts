import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { levelDb } from '../../base/audio/level.js';
import { decodeMulaw } from '../../base/audio/mulaw.js';
import type { PhoneNotice, RingOutcome } from '../../call/phone-messages.js';
import type { NotedNumber } from '../../call/phone-number.js';
import type { Callee, CallHandle } from './phone.js';
import { PlaybackQueue } from './playback-queue.js';
import { beep, murmur } from './prompt-audio.js';
import type { TextSpeaker } from './speech.js';

/** Behaviour of the person or machine behind a number after the answer. */
type Script = (line: ScriptedPhone) => Promise<void>;

interface Behaviour {
  /** What it does, for people. */
  readonly note: string;
  /** How long it rings, in milliseconds of call time, and how that ends. */
  readonly rings: number;
  readonly outcome: RingOutcome;
  /** Outcome when the number is the destination of a transfer, where that differs. */
  readonly outcomeAsTransferTarget?: RingOutcome;
  readonly isMachine?: boolean;
  readonly script?: Script;
}

const talks: Script = async (line) => {
  await line.say('Hello? Yes, this is a good time. How can I help you?');
  await line.hearsNobody();
  line.hangUp();
};

/** A colleague who is briefed: answers, and presses a key when it has heard what it is asked. */
const colleague = (key: DtmfDigit, then: Script): Script => {
  return async (line) => {
    await line.say('Hello?');
    if (!(await line.hearsAnswer())) return line.hangUp();
    line.press(key);
    await line.wait(1_000);
    await then(line);
  };
};

/** Which behaviour a number has, by its last four digits; every other number answers and talks. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '0101': {
    note: 'Answers and talks, until it has heard nothing for 12 seconds.',
    rings: 1_000,
    outcome: 'answered',
    script: talks,
  },
  '0102': { note: 'Is busy.', rings: 0, outcome: 'busy' },
  '0103': { note: 'Does not answer.', rings: 60_000, outcome: 'no_answer' },
  '0104': { note: 'Declines after 2 seconds.', rings: 2_000, outcome: 'declined' },
  '0105': {
    note: 'Is a voicemail with a beep.',
    rings: 2_000,
    outcome: 'answered',
    isMachine: true,
    script: async (line) => {
      await line.say('You have reached my voicemail. Please leave a message after the tone.');
      await line.play(beep(1_000, 500));
      await line.wait(60_000);
      line.hangUp();
    },
  },
  '0106': {
    note: 'Screens the call: asks who is calling, then talks.',
    rings: 1_000,
    outcome: 'answered',
    script: async (line) => {
      await line.say('Please say your name and why you are calling.');
      if (!(await line.hearsAnswer())) return line.hangUp();
      await line.say('Thank you. Please hold while I connect you.');
      await talks(line);
    },
  },
  '0107': {
    note: 'Answers and hangs up after 3 seconds.',
    rings: 1_000,
    outcome: 'answered',
    script: async (line) => {
      await line.wait(3_000);
      line.hangUp();
    },
  },
  '0108': {
    note: 'Answers and talks; fails as the destination of a transfer.',
    rings: 1_000,
    outcome: 'answered',
    outcomeAsTransferTarget: 'failed',
    script: talks,
  },
  '0109': {
    note: 'Screens the call, and the person does not come on.',
    rings: 1_000,
    outcome: 'answered',
    script: async (line) => {
      await line.say("Hi, if you record your name and reason for calling, I'll see if this person is available.");
      if (await line.hearsAnswer()) {
        await line.say('Thanks. Stay on the line.');
        await line.wait(60_000);
      }
      line.hangUp();
    },
  },
  '0110': { note: 'Is a number that is not assigned: the call fails.', rings: 0, outcome: 'failed' },
  '0120': {
    note: 'Is a colleague: takes a warm transfer with the key 1 when briefed, then talks.',
    rings: 1_000,
    outcome: 'answered',
    script: colleague('1', async (line) => {
      await line.say('This is your colleague. How can I help you?');
      await line.hearsNobody();
      line.hangUp();
    }),
  },
  '0121': {
    note: 'Is a colleague: declines a warm transfer with the key 2 when briefed.',
    rings: 1_000,
    outcome: 'answered',
    script: colleague('2', async (line) => {
      await line.wait(60_000);
      line.hangUp();
    }),
  },
};
const ANSWERS_AND_TALKS: Behaviour = { note: 'Answers and talks.', rings: 1_000, outcome: 'answered', script: talks };
/** There are no phones at `sip:` addresses. */
const NOBODY: Behaviour = { note: 'No phone is there.', rings: 0, outcome: 'failed' };

/** The numbers whose behaviour differs, and what it is. */
export const CALLEE_NUMBERS: readonly NotedNumber[] = Object.entries(BEHAVIOURS).map(([digits, { note }]) => ({
  number: `+1202555${digits}`,
  note,
}));

const SPEECH_LEVEL_DB = -45;
/** A caller has finished after this much quiet, in frames of 20 ms. */
const QUIET_FRAMES = 40;
/** Who has talked over a question has stopped after this much quiet, in frames of 20 ms. */
const PAUSE_FRAMES = 5;
/** A person who hears no speech for this long hangs up, in frames of 20 ms: 12 seconds. */
const PATIENCE_FRAMES = 600;

export interface ScriptedPhoneOptions {
  /** Whether a call is to be transferred to it. */
  readonly isTransferTarget: boolean;
  /** Called with the audio that the phone hears, 20 ms of mu-law each. */
  readonly overhear: ((heard: Uint8Array) => void) | undefined;
  readonly speech: TextSpeaker;
  readonly onError: (error: unknown) => void;
}

/** A phone without a person: its number decides how it acts. */
export class ScriptedPhone implements Callee {
  readonly #behaviour: Behaviour;
  readonly #mouth = new PlaybackQueue();
  #call: CallHandle | undefined;
  #onHeard: ((levelDb: number) => void) | undefined;

  constructor(
    number: string,
    private readonly options: ScriptedPhoneOptions,
  ) {
    this.#behaviour = number.startsWith('sip:') ? NOBODY : (BEHAVIOURS[number.slice(-4)] ?? ANSWERS_AND_TALKS);
  }

  get isMachine(): boolean {
    return this.#behaviour.isMachine ?? false;
  }

  async ring(call: CallHandle): Promise<RingOutcome> {
    const { rings, outcome, outcomeAsTransferTarget = outcome } = this.#behaviour;
    this.#call = call;
    await call.wait(rings);
    return this.options.isTransferTarget ? outcomeAsTransferTarget : outcome;
  }

  exchange(heard: Uint8Array, reply: (said: Uint8Array) => void): void {
    this.options.overhear?.(heard);
    this.#onHeard?.(levelDb(decodeMulaw(heard)));
    reply(this.#mouth.next());
  }

  notify({ type }: PhoneNotice): void {
    if (type === 'answered') this.#behaviour.script?.(this).catch(this.options.onError);
    if (type === 'ended') this.#mouth.clear();
  }

  async say(text: string): Promise<void> {
    const signal = this.#call?.signal;
    if (!signal || signal.aborted) return;
    await this.play((await this.options.speech.speak(text, 'en-US', signal)) ?? murmur(text));
    this.#call?.spoke(text);
  }

  play(audio: Uint8Array): Promise<void> {
    if (this.#call?.signal.aborted) return Promise.resolve();
    this.#mouth.push(audio);
    return this.#mouth.drained();
  }

  wait(ms: number): Promise<void> {
    return this.#call?.wait(ms) ?? Promise.resolve();
  }

  press(key: DtmfDigit): void {
    this.#call?.press(key);
  }

  hangUp(): void {
    this.#call?.hangUp();
  }

  /**
   * Resolves with true when the other side has answered a question and stopped, with false after 12 seconds without speech. What was said over the
   * end of the question is no answer.
   */
  async hearsAnswer(): Promise<boolean> {
    await this.#listen(() => PAUSE_FRAMES);
    return this.#listen((hasSpoken) => (hasSpoken ? QUIET_FRAMES : PATIENCE_FRAMES));
  }

  /** Resolves after 12 seconds without speech. */
  async hearsNobody(): Promise<void> {
    await this.#listen(() => PATIENCE_FRAMES);
  }

  /** Resolves with whether the other side has spoken, as soon as it has been quiet for `quietFrames`. */
  #listen(quietFrames: (hasSpoken: boolean) => number): Promise<boolean> {
    let hasSpoken = false;
    let quiet = 0;
    return new Promise((resolve) => {
      this.#onHeard = (level) => {
        const isSpeech = level > SPEECH_LEVEL_DB;
        hasSpoken ||= isSpeech;
        quiet = isSpeech ? 0 : quiet + 1;
        if (quiet < quietFrames(hasSpoken)) return;
        this.#onHeard = undefined;
        resolve(hasSpoken);
      };
    });
  }
}
