/** A participant in a room who says bursts of noise, keeps what is heard, and finds in it what others have said. */

import { setTimeout as delay } from 'node:timers/promises';
import type { JoinRoom } from '../../src/providers/rooms/room-connection.js';
import { commonNow } from '../processes/clock.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';
import { type Hearing, hearBursts, type SaidBursts } from './burst-hearing.js';
import { BURST_MS, burst, PAUSE_MS } from './bursts.js';

const { FrameClock } = await dist<typeof import('../../src/base/async/frame-clock.js')>('base/async/frame-clock.js');

const SAMPLE_RATE = 16_000;
const FRAME_MS = 20;
const FRAME_LENGTH = (SAMPLE_RATE * FRAME_MS) / 1_000;
const FRAMES = BURST_MS / FRAME_MS;
const JOIN_LIMIT_MS = 20_000;
/** Time for what is still on its way at the end, in milliseconds. */
const LATE_MS = 1_500;

/** How a room is joined; `page alone`: a page that gives back what the bot says, without a room. */
export type Way = 'built-in' | 'browser' | 'page alone';

export interface VoiceOptions {
  readonly way: Way;
  readonly roomUrl: string;
  readonly token: string;
  readonly seed: number;
}

const [options = ''] = process.argv.slice(2);
const { way, roomUrl, token, seed } = JSON.parse(options) as VoiceOptions;
let end = async () => {};

async function joinRoom(): Promise<JoinRoom> {
  if (way === 'built-in') {
    const { preloadWebRtc } = await dist<typeof import('../../src/providers/rooms/webrtc/peer-audio.js')>(
      'providers/rooms/webrtc/peer-audio.js',
    );
    await preloadWebRtc();
    type BuiltIn = typeof import('../../src/providers/rooms/webrtc/web-rtc-connection.js');
    return (await dist<BuiltIn>('providers/rooms/webrtc/web-rtc-connection.js')).joinWebRtcRoom;
  }
  const { Browser } = await dist<typeof import('../../src/providers/daily/client/browser.js')>(
    'providers/daily/client/browser.js',
  );
  type ThroughBrowser = typeof import('../../src/providers/daily/client/join-through-browser.js');
  const { joinWithBrowser } = await dist<ThroughBrowser>('providers/daily/client/join-through-browser.js');
  const { PATH = '', HOME = '', VOICEBOT_BROWSER: program } = process.env;
  const pages = new Browser({ environment: { PATH, HOME }, program });
  end = () => pages.close();
  await pages.start();
  if (way === 'browser') return (room) => joinWithBrowser(room, { pages });
  const standIn = new URL(
    'test/providers/daily/client/stand-in-client.js',
    import.meta.resolve('voicebot/package.json'),
  );
  return (room) => joinWithBrowser(room, { pages, client: { file: standIn.pathname } });
}

async function join() {
  const join = await joinRoom();
  return join({ roomUrl, token, userName: way, sampleRate: SAMPLE_RATE, limitMs: JOIN_LIMIT_MS });
}

const joining = join();
const frames: Int16Array[] = [];
const heardAt: number[] = [];

/** Says a burst 20 ms at a time. @returns when it began */
function say(pcm: Int16Array, take: (frame: Int16Array) => void): Promise<number> {
  return new Promise((resolve) => {
    let startedAt = 0;
    let said = 0;
    const stop = new FrameClock().onTick(() => {
      if (said === 0) startedAt = commonNow();
      take(pcm.slice(said * FRAME_LENGTH, (said + 1) * FRAME_LENGTH));
      said += 1;
      if (said < FRAMES) return;
      stop();
      resolve(startedAt);
    });
  });
}

const questions = {
  /** Resolves when it is in the room. */
  async joined(): Promise<void> {
    await joining;
  },

  /** Listens, and speaks for so long. Bursts begin at any moment of the room's 20 ms. */
  async talk(ms: number): Promise<SaidBursts> {
    const room = await joining;
    room.start((pcm) => {
      frames.push(pcm);
      heardAt.push(commonNow());
    });
    const startedAt: number[] = [];
    const endsAt = performance.now() + ms;
    while (performance.now() < endsAt) {
      const pcm = burst(seed, startedAt.length, SAMPLE_RATE);
      await delay(PAUSE_MS - FRAME_MS + FRAME_MS * Math.random());
      startedAt.push(await say(pcm, (frame) => room.say(frame)));
    }
    await delay(LATE_MS);
    return { seed, startedAt };
  },

  /** Leaves the room, and finds what the other side has said. */
  async hearing(said: SaidBursts): Promise<Hearing> {
    await (await joining).leave();
    const pcm = new Int16Array(frames.length * FRAME_LENGTH);
    for (const [index, frame] of frames.entries()) pcm.set(frame, index * FRAME_LENGTH);
    return hearBursts(said, { pcm, heardAt, sampleRate: SAMPLE_RATE });
  },
};
export type RoomVoice = typeof questions;

answer(questions, async () => {
  await (await joining).leave();
  await end();
});
