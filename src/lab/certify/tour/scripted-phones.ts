import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from '../../../base/async/deadline.js';
import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import { encodeMulaw } from '../../../base/audio/mulaw.js';
import { VoicebotError } from '../../../base/errors.js';
import type { RingOutcome } from '../../../call/phone-messages.js';
import { PhoneClient } from '../../../sandbox/network/phone-client.js';
import type { PhoneAnswer, PhoneRole, Spoken, TourPhones } from './tour-phone.js';

/** Numbers of telephones on the sandbox, in the range kept for fiction. */
export const SCRIPTED_NUMBERS: Readonly<Record<PhoneRole, string>> = {
  caller: '+12025550142',
  colleague: '+12025550143',
};

const FRAME_BYTES = 160;
const SILENCE = new Uint8Array(FRAME_BYTES).fill(0xff);
/** How long it is spoken, in frames of 20 ms. */
const LENGTHS: Readonly<Record<Spoken, number>> = {
  'one word': 25,
  'a few sentences': 250,
  'something over the bot': 50,
};
const OUTCOMES: Readonly<Record<PhoneAnswer, RingOutcome>> = {
  answers: 'answered',
  'answers and presses 1': 'answered',
  declines: 'declined',
  'does not answer': 'no_answer',
};
const NO_ANSWER_MS = 60_000;

/** How long people take, in milliseconds. */
export interface PhoneTiming {
  /** Before a telephone that rings is answered or declined. */
  readonly ringMs: number;
  /** Before a key is pressed that was asked for. */
  readonly beforeKeyMs: number;
  /** Before one hangs up. */
  readonly talkMs: number;
}

const BRISK: PhoneTiming = { ringMs: 1_000, beforeKeyMs: 4_000, talkMs: 1_500 };

/** Telephones on a sandbox, which do what they are asked for, at once as far as people do. */
export class ScriptedPhones implements TourPhones {
  readonly areOfPeople = false;
  readonly #lines = new Map<PhoneRole, ScriptedLine>();

  constructor(
    private readonly sandbox: { readonly url: string; readonly phoneToken: string },
    readonly patienceMs = 60_000,
    private readonly timing = BRISK,
  ) {}

  has(): boolean {
    return true;
  }

  async call(number: string): Promise<void> {
    const line = await this.#line('caller');
    line.client.dial({ from: SCRIPTED_NUMBERS.caller, to: number });
  }

  async expect(role: PhoneRole, answer: PhoneAnswer): Promise<void> {
    const line = await this.#line(role);
    const { client } = line;
    line.awaitsCall();
    const ringMs = answer === 'does not answer' ? NO_ANSWER_MS : this.timing.ringMs;
    await client.attend({ number: SCRIPTED_NUMBERS[role], outcome: OUTCOMES[answer], ringMs });
    if (answer === 'answers and presses 1')
      client.once(
        'answered',
        () =>
          void delay(this.timing.beforeKeyMs)
            .then(() => this.#lines.get(role) === line && client.press('1'))
            .catch(() => {}), // the call is over
      );
  }

  async press(keys: string): Promise<void> {
    const { client } = await this.#line('caller');
    for (const key of keys) {
      client.press(key as DtmfDigit);
      await delay(200);
    }
  }

  async speak(what: Spoken): Promise<void> {
    (await this.#line('caller')).speak(LENGTHS[what]);
  }

  /** One that rings yet has been answered before. */
  async hangUp(role: PhoneRole): Promise<void> {
    const line = await this.#line(role);
    await withDeadline(
      line.answered,
      this.patienceMs,
      () => new VoicebotError('VB_DEADLINE_EXCEEDED', `the telephone of the ${role} did not ring`),
    );
    await delay(this.timing.talkMs);
    line.client.hangUp();
  }

  /** A telephone of the next step is a new one: the network has closed this one's line, or does so now. */
  async rest(): Promise<void> {
    const lines = [...this.#lines.values()];
    this.#lines.clear();
    await Promise.all(lines.map(({ client }) => client.close()));
  }

  close(): Promise<void> {
    return this.rest();
  }

  async #line(role: PhoneRole): Promise<ScriptedLine> {
    const known = this.#lines.get(role);
    if (known) return known;
    const line = await ScriptedLine.open(this.sandbox);
    this.#lines.set(role, line);
    return line;
  }
}

class ScriptedLine {
  client!: PhoneClient;
  /** Resolves when it is in a call. */
  answered: Promise<void> = Promise.resolve();
  #frame = 0;
  #speaksUntil = 0;

  static async open({
    url,
    phoneToken: token,
  }: {
    readonly url: string;
    readonly phoneToken: string;
  }): Promise<ScriptedLine> {
    const line = new ScriptedLine();
    line.client = await PhoneClient.connect({ url, token, exchange: () => line.#next() });
    line.awaitsCall();
    return line;
  }

  /** From now on `answered` is about the next call. */
  awaitsCall(): void {
    this.answered = once(this.client, 'answered').then(() => {});
  }

  speak(frames: number): void {
    this.#speaksUntil = this.#frame + frames;
  }

  #next(): Uint8Array {
    this.#frame += 1;
    return this.#frame < this.#speaksUntil ? voiceLike(this.#frame) : SILENCE;
  }
}

/** Loud and uneven, as a voice is, and no key of a telephone. */
function voiceLike(frame: number): Uint8Array {
  const level = 3_000 + 3_000 * ((frame * 7) % 5);
  const pitch = 140 + 20 * ((frame >> 2) % 4);
  return encodeMulaw(
    Int16Array.from({ length: FRAME_BYTES }, (_, at) => {
      const turn = (2 * Math.PI * pitch * (frame * FRAME_BYTES + at)) / 8_000;
      return (level * (Math.sin(turn) + Math.sin(2 * turn) + Math.sin(5 * turn))) / 3;
    }),
  );
}
