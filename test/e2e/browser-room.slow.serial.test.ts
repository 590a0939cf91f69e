import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { levelDb } from '../../src/base/audio/level.js';
import { encodeWav } from '../../src/base/audio/wav.js';
import { joinRoomFor } from '../../src/bot/transports/room/join-room.js';
import {
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
} from '../../src/doors/pipeline.js';
import { EndFrame, Pipeline, PipelineTask, RoomsTransport } from '../../src/index.js';
import { daily } from '../../src/providers/daily/provider.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js';
import { sine } from '../base/audio/signals.js';
import { browserOf } from '../providers/daily/client/page-host.js';
import { ROOMS_CLIENTS } from '../runner/runner-on-sandbox.js';
import { measure } from '../sandbox/rooms/live-rooms-under-test.js';
import { until } from './processes.js';

const CHROMIUM = '/usr/bin/chromium';
const isInstalled = existsSync(CHROMIUM);
const browserTest = (isInstalled ? test : test.skip).each(ROOMS_CLIENTS);
if (!isInstalled) process.stderr.write(`  the room's page is not tested: there is no Chromium at ${CHROMIUM}\n`);

const API_KEY = 'room-api-key-of-the-sandbox';
/** What the page's microphone hears, and what the bot says, in hertz. */
const [PAGE_HZ, BOT_HZ] = [600, 1_000];

let directory: string;
let sandbox: Sandbox;
let browser: Browser | undefined;
/** Where the bot joins through a browser: that one, not the guest's. */
const botBrowser = browserOf();

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-browser-'));
  sandbox = await startSandbox({
    authId: 'MASANDBOXSANDBOX0000',
    authToken: 'token-of-the-sandbox',
    phoneToken: 'phone',
    rooms: { apiKey: API_KEY },
  });
  const microphone = join(directory, 'tone.wav');
  const pcm = sine(PAGE_HZ, 48_000, 4 * 48_000, 8_000);
  writeFileSync(microphone, encodeWav({ sampleRate: 48_000, channels: [pcm], encoding: 'L16' }));
  if (!isInstalled) return;
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}`,
    ],
  });
}, 40_000);

afterAll(async () => {
  await browser?.close();
  await botBrowser.close();
  await sandbox.close();
  rmSync(directory, { recursive: true });
}, 20_000);

/** Keeps what it hears, and says a tone. */
class ToneBot extends FrameProcessor {
  readonly heard: InputAudioFrame[] = [];

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof InputAudioFrame) this.heard.push(frame);
    else this.push(frame, direction);
  }

  say(seconds: number): void {
    this.push(new OutputAudioFrame(sine(BOT_HZ, 8_000, seconds * 8_000, 8_000), 8_000));
  }

  /** Stops saying it, and leaves. */
  end(): void {
    this.interrupt();
    this.push(new EndFrame());
  }

  /** The last half second it has heard. */
  get lastHeard(): Int16Array {
    return Int16Array.from(this.heard.slice(-25).flatMap(({ pcm }) => [...pcm]));
  }
}

/** What the page plays: its strongest frequency, in hertz. Runs in the page, whose types are not known here. */
const PITCH_ON_PAGE = `(async () => {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 8192;
  context.createMediaStreamSource(document.querySelector('audio').srcObject).connect(analyser);
  const spectrum = new Float32Array(analyser.frequencyBinCount);
  await new Promise((resolve) => setTimeout(resolve, 500));
  analyser.getFloatFrequencyData(spectrum);
  const hertz = (spectrum.indexOf(Math.max(...spectrum)) * context.sampleRate) / analyser.fftSize;
  await context.close();
  return hertz;
})()`;
const LEVEL_ON_PAGE = "document.querySelector('meter').value";

browserTest(
  'a browser on the room’s page and a bot that joins with the %s client hear each other (needs chromium)',
  async (roomsClient) => {
    const client = await daily.createRestClient({ apiKey: API_KEY, apiUrl: sandbox.roomsApiUrl });
    const expiresAt = Math.ceil(Date.now() / 1_000) + 600;
    const room = await client.createRoom({
      name: `room-${roomsClient}`,
      expiresAt,
      allowsDialout: false,
      idleSeconds: 0,
    });
    const tokenOf = (isOwner: boolean) => client.createToken({ roomName: room.name, isOwner, expiresAt });
    const [token, guestToken] = await Promise.all([tokenOf(true), tokenOf(false)]);
    await client.close();

    const connect = await joinRoomFor(daily, room.url, {
      pages: roomsClient === 'browser' ? botBrowser : undefined,
    });
    const account = { apiKey: API_KEY, apiUrl: sandbox.roomsApiUrl };
    const transport = new RoomsTransport(room.url, token, 'Tone bot', { ...account, connect });
    const bot = new ToneBot();
    const events: string[] = [];
    transport.on('joined', () => events.push('joined'));
    transport.on('participant_joined', (_, { userName, kind }) => {
      events.push(`${userName} (${kind}) joined`);
      bot.say(20);
    });
    transport.on('participant_left', (_, { userName }) => events.push(`${userName} left`));
    const running = new PipelineTask(new Pipeline([transport.input(), bot, transport.output()])).run();
    await until(() => events.includes('joined'), 'the bot joins');

    const page = (await browser?.newPage()) as Page;
    await page.goto(`${room.url}#t=${guestToken}`);
    expect(page.url()).toBe(room.url); // the token is gone from the address
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('You are in the room.').or(page.getByText('has joined')).waitFor();
    await until(() => events.length > 1, 'the bot sees the page');
    const people = await page.getByRole('listitem').allTextContents();

    const isHeard = () => measureAt(bot).purity > 0.7 && measureAt(bot).level > -30;
    await until(isHeard, 'the bot hears the tone of the page').catch((error) => {
      throw new Error(JSON.stringify(measureAt(bot)), { cause: error });
    });
    const { level, purity } = measureAt(bot);
    // Not waitForFunction: it evaluates text inside the page, whose policy forbids that.
    await until(async () => (await page.evaluate<number>(LEVEL_ON_PAGE)) > 0.1, 'the page hears the bot');
    const hertz = await page.evaluate<number>(PITCH_ON_PAGE);
    const meter = await page.evaluate<number>(LEVEL_ON_PAGE);
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
    process.stderr.write(
      `  ${roomsClient}: the bot hears ${PAGE_HZ} Hz at ${level.toFixed(1)} dB (purity ${purity.toFixed(3)}); ` +
        `the page hears ${hertz.toFixed(0)} Hz, meter ${meter.toFixed(2)}; ${people}; ${events}\n`,
    );
    expect(Math.abs(hertz - BOT_HZ)).toBeLessThan(12);
    expect(people).toEqual(['You', 'Tone bot']);

    await page.getByRole('button', { name: 'Leave' }).click();
    await until(() => events.at(-1)?.endsWith('left') === true, 'the bot sees that the page has left');
    await page.getByText('You have left.').waitFor();
    bot.end();
    await running;
  },
  40_000,
);

const measureAt = (bot: ToneBot) => {
  const pcm = bot.lastHeard;
  return pcm.length === 0 ? { purity: 0, level: levelDb(pcm) } : measure(pcm, PAGE_HZ);
};
