import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import { Resampler } from '../../src/base/audio/resampler.js';
import { decodeWav, encodeWav } from '../../src/base/audio/wav.js';
import type { PhoneNotice, PhoneRequest } from '../../src/call/phone-messages.js';
import { until } from './processes.js';
import { Side } from './recording.js';

const CHROMIUM = '/usr/bin/chromium';
const SPEECH = fileURLToPath(new URL('../fixtures/audio/speech.wav', import.meta.url));
const DEVICE_RATE = 48_000;
/** Longest wait for what a page is to show, in milliseconds. */
export const SHOWN_WITHIN_MS = 15_000;

/** Tests with a browser are left out where there is none. */
export const hasChromium = existsSync(CHROMIUM);

/** Keeps what the phone says and hears, frame by frame, from the answer on: the two are of the same 20 ms. */
const TAPE = `
const tape = window.tape = { said: [], heard: [], requests: [], notices: [] };
const answered = () => tape.notices.some(({ type }) => type === 'answered');
window.WebSocket = class extends WebSocket {
  constructor(...args) {
    super(...args);
    this.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') tape.notices.push(JSON.parse(data));
      else if (answered()) tape.heard.push(...new Uint8Array(data));
    });
  }
  send(data) {
    if (typeof data === 'string') tape.requests.push(JSON.parse(data));
    else if (answered()) tape.said.push(...data);
    super.send(data);
  }
};
`;

export interface PhoneTape {
  /** 8000 Hz, from the answer on, like a recording of `voicebot call`. */
  readonly caller: Side;
  readonly bot: Side;
  readonly requests: readonly PhoneRequest[];
  readonly notices: readonly PhoneNotice[];
}

/** @param hears WAV file that microphones hear once, of the device's rate. Default: they beep once a second */
export function launchPhones(hears?: string): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
  args.push('--use-fake-device-for-media-stream');
  if (hears) args.push(`--use-file-for-fake-audio-capture=${hears}%noloop`);
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** Some speech of a person, 8000 Hz. @param ms at most as long as the file of it */
export function speechOf(ms: number): Int16Array {
  const { channels, sampleRate } = decodeWav(readFileSync(SPEECH));
  return new Resampler(sampleRate, 8_000).process(channels[0].subarray(0, (ms * sampleRate) / 1_000));
}

/**
 * Writes some speech for a microphone, and a minute of silence after it: a browser repeats the end of the file for ever.
 * @param afterSeconds of silence before it
 */
export function writeSpeech(path: string, seconds: number, afterSeconds = 0): void {
  const { channels, sampleRate } = decodeWav(readFileSync(SPEECH));
  const heard = new Int16Array((afterSeconds + seconds + 60) * sampleRate);
  heard.set(channels[0].subarray(0, seconds * sampleRate), afterSeconds * sampleRate);
  const atDevice = new Resampler(sampleRate, DEVICE_RATE).process(heard);
  writeFileSync(path, encodeWav({ sampleRate: DEVICE_RATE, channels: [atDevice], encoding: 'L16' }));
}

/** The page of a runner in a real browser, with its phone. */
export class PhonePage implements AsyncDisposable {
  /** What the page has complained about. */
  readonly problems: string[] = [];

  readonly #said: number[] = [];
  readonly #heard: number[] = [];

  /** @param permissions what the person allows */
  static async open(
    browser: Browser,
    url: string,
    permissions = ['microphone'],
    options: BrowserContextOptions = {},
  ): Promise<PhonePage> {
    const context = await browser.newContext({ ...options, permissions });
    const opened = new PhonePage(context, await context.newPage());
    await opened.page.addInitScript(TAPE);
    await opened.page.goto(url);
    return opened;
  }

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.on('pageerror', ({ message }) => this.problems.push(message));
  }

  button(name: string): ReturnType<Page['getByRole']> {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Clicks on "Call", and waits for the answer. */
  async call(): Promise<void> {
    await this.button('Call').click();
    await this.shows('In a call');
  }

  shows(text: string, timeout = SHOWN_WITHIN_MS): Promise<void> {
    return this.page.getByText(text).filter({ visible: true }).first().waitFor({ timeout });
  }

  /** What the phone has said and heard so far, of which only what is new comes out of the page. */
  async tape(): Promise<PhoneTape> {
    const news = `({ ...tape, said: tape.said.slice(${this.#said.length}), heard: tape.heard.slice(${this.#heard.length}) })`;
    const { said, heard, ...words } = (await this.page.evaluate(news)) as Record<'said' | 'heard', number[]> &
      Pick<PhoneTape, 'requests' | 'notices'>;
    for (const byte of said) this.#said.push(byte);
    for (const byte of heard) this.#heard.push(byte);
    const [caller, bot] = [this.#said, this.#heard].map((bytes) => new Side(decodeMulaw(Uint8Array.from(bytes))));
    return { ...words, caller: caller as Side, bot: bot as Side };
  }

  /** Waits until what the phone has said and heard is so. */
  async has(condition: (tape: PhoneTape) => boolean, what: string): Promise<void> {
    await until(async () => condition(await this.tape()), what, 20_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
