import { DtmfDetector } from '../../../src/base/audio/dtmf-detector.js';
import type { DtmfDigit } from '../../../src/base/audio/dtmf-digit.js';
import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { until } from '../../e2e/processes.js';
import type { FakeCaller } from '../../sandbox/fake-caller.js';

/** Longest wait for anything in a story, in milliseconds: the machine may be busy. */
export const PATIENCE_MS = 30_000;
/** Mu-law that is louder than this is a tone, in decibels below full scale. */
const LOUD_DB = -30;
/** Half a second. */
const LATEST_FRAMES = 25;

const isLoud = (frame: Uint8Array) => levelDb(decodeMulaw(frame)) > LOUD_DB;

/** Somebody who calls the bot. */
export class Caller {
  /** @param bot the number that it calls */
  constructor(
    readonly phone: FakeCaller,
    private readonly bot: string,
  ) {}

  dial(from: string): void {
    this.phone.client.dial({ from, to: this.bot });
  }

  press(keys: string): void {
    for (const key of keys) this.phone.client.press(key as DtmfDigit);
  }

  hangUp(): void {
    this.phone.client.hangUp();
  }

  /** Resolves when the bot has been heard since the call began. */
  async hasHeardTone(): Promise<boolean> {
    await until(() => this.phone.heard.all.some(isLoud), 'the caller has heard a tone', PATIENCE_MS);
    return true;
  }

  /** Resolves when the bot's tone is heard now: one that is over for half a second counts no more. */
  async hearsTone(): Promise<boolean> {
    await until(() => this.#latest().some(isLoud), 'the caller hears a tone', PATIENCE_MS);
    return true;
  }

  /** Resolves when nothing has been heard for half a second. */
  async hearsSilence(): Promise<boolean> {
    await until(() => !this.#latest().some(isLoud), 'the caller hears nothing', PATIENCE_MS);
    return true;
  }

  /** Resolves with the keys whose tones are heard, as soon as there are as many as `wanted`. */
  async hearsKeys(wanted: string): Promise<string> {
    await until(() => this.#keys().length >= wanted.length, `the caller hears ${wanted}`, PATIENCE_MS);
    return this.#keys();
  }

  /** Resolves when the call is over, with the network's words for why. */
  async ended(): Promise<{ cause: string; wasAnswered: boolean }> {
    const { events } = this.phone;
    const { cause } = await this.phone.ended();
    return { cause, wasAnswered: events.all.some(({ type }) => type === 'answered') };
  }

  /** Resolves when the network has said this to the caller. */
  async asked(words: string): Promise<void> {
    await until(() => this.isTold(`speaking: ${words}`), `the caller hears: ${words}`, PATIENCE_MS);
  }

  /** Whether the network has told the phone anything with these words in it. */
  isTold(words: string): boolean {
    return JSON.stringify(this.phone.events.all).includes(words);
  }

  #keys(): string {
    const detector = new DtmfDetector(8_000);
    return this.phone.heard.all.flatMap((frame) => detector.process(decodeMulaw(frame))).join('');
  }

  #latest(): Uint8Array[] {
    return this.phone.heard.all.slice(-LATEST_FRAMES);
  }
}
