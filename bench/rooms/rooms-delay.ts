import { BenchProcess } from '../bench-process.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { PhoneNetwork, RoomPlaces } from '../processes/phone-network.js';
import { median, percentile } from '../statistics.js';
import { ROOMS } from './account.js';
import type { HeardBurst, Hearing } from './burst-hearing.js';
import { needsBrowser } from './needs-browser.js';
import type { RoomVoice, VoiceOptions, Way } from './room-voice.js';

/** What the way through a browser may add to a direction, in milliseconds. */
const ADDED_LIMIT_MS = 80;
/** How much of the built-in connection is enough to compare with, in seconds. */
const COMPARED_SECONDS = 60;
/** How long a page without a room is listened to, in seconds. */
const ALONE_SECONDS = 10;

/** Both directions of a call, as its bot sees them. */
interface Call {
  readonly heard: Hearing;
  readonly said: Hearing;
}

/**
 * Two in a room of the sandbox talk at the same time: one who is always joined by the built-in connection, and a bot that is joined by it
 * once, and once through a browser.
 */
export async function* roomsDelay(seconds = 60): AsyncGenerator<Figure> {
  needsBrowser();
  await using sandbox = new BenchProcess<PhoneNetwork>('processes/phone-network', ROOMS);
  const bare = await talk(await sandbox.ask('room'), 'built-in', Math.min(seconds, COMPARED_SECONDS));
  const ours = await talk(await sandbox.ask('room'), 'browser', seconds);
  for (const direction of ['heard', 'said'] as const) yield* compared(direction, bare[direction], ours[direction]);
  const alone = await talkToItself(ALONE_SECONDS);
  yield { name: 'rooms: page without a room, both ways: p50 / p95', ours: delays(alone) };
  const { clicks, pauseClicks, bursts } = alone;
  yield { name: 'rooms: page without a room: clicks in bursts, in pauses', ours: `${clicks}, ${pauseClicks}` };
  yield { name: 'rooms: page without a room: missing, in bursts', ours: gaps(bursts, ({ missingMs }) => missingMs) };
}

function* compared(direction: string, bare: Hearing, ours: Hearing): Generator<Figure> {
  const row = (name: string, value: (hearing: Hearing) => string): Figure => ({
    name: `rooms: the bot ${direction}: ${name}`,
    bare: value(bare),
    ours: value(ours),
  });
  const added = (share: number) => percentile(delaysOf(ours), share) - percentile(delaysOf(bare), share);
  yield row('delay p50 / p95', delays);
  yield { name: `rooms: the bot ${direction}: added at p50`, ours: ms(added(0.5)) };
  yield {
    name: `rooms: the bot ${direction}: added at p95`,
    ours: ms(added(0.95)),
    ...atMost(ADDED_LIMIT_MS, added(0.95), ' ms'),
  };
  yield row('drift', ({ bursts }) => `${slopeOf(bursts).toFixed(2)} ms/min`);
  yield row('clicks in bursts, in pauses', ({ clicks, pauseClicks }) => `${clicks}, ${pauseClicks}`);
  yield row('missing, in bursts', ({ bursts }) => gaps(bursts, ({ missingMs }) => missingMs));
  yield row('put in, in bursts', ({ bursts }) => gaps(bursts, ({ insertedMs }) => insertedMs));
  yield row('bursts lost', ({ lost, bursts }) => `${lost} of ${lost + bursts.length}`);
}

const delaysOf = ({ bursts }: Hearing): number[] => bursts.map(({ delayMs }) => delayMs);

const delays = (hearing: Hearing): string =>
  `${median(delaysOf(hearing)).toFixed(1)} / ${percentile(delaysOf(hearing), 0.95).toFixed(1)} ms`;

function gaps(bursts: readonly HeardBurst[], of: (burst: HeardBurst) => number): string {
  const values = bursts.map(of).filter((value) => value > 0);
  return `${values.reduce((sum, value) => sum + value, 0).toFixed(0)} ms, ${values.length}`;
}

/** By how much a delay grows, in milliseconds per minute: the median of the slopes between any two bursts, far apart. */
function slopeOf(bursts: readonly HeardBurst[]): number {
  const half = Math.floor(bursts.length / 2);
  const slopes = bursts.slice(half).map((later, index) => {
    const earlier = bursts[index] as HeardBurst;
    return ((later.delayMs - earlier.delayMs) / (later.startedAt - earlier.startedAt)) * 60_000;
  });
  return median(slopes);
}

async function talk({ url, tokens }: RoomPlaces, way: Way, seconds: number): Promise<Call> {
  console.error(`The bot is joined: ${way} …`);
  const [token = '', botToken = ''] = tokens;
  await using caller = voice({ way: 'built-in', roomUrl: url, token, seed: 1 });
  await using bot = voice({ way, roomUrl: url, token: botToken, seed: 2 });
  await Promise.all([caller.ask('joined'), bot.ask('joined')]);
  const [bySaid, byBot] = await Promise.all([caller.ask('talk', 1_000 * seconds), bot.ask('talk', 1_000 * seconds)]);
  const [said, heard] = await Promise.all([caller.ask('hearing', byBot), bot.ask('hearing', bySaid)]);
  return { said, heard };
}

async function talkToItself(seconds: number): Promise<Hearing> {
  await using bot = voice({ way: 'page alone', roomUrl: 'https://rooms.example/alone', token: 'echo', seed: 3 });
  return await bot.ask('hearing', await bot.ask('talk', 1_000 * seconds));
}

const voice = (options: VoiceOptions) => new BenchProcess<RoomVoice>('rooms/room-voice', JSON.stringify(options));
