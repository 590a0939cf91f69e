import { Goertzel } from '../../../../src/base/audio/goertzel.js';
import { decodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { OutputAudioFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { Pipeline } from '../../../../src/bot/pipeline/pipeline.js';
import { PipelineTask } from '../../../../src/bot/pipeline/pipeline-task.js';
import { RoomsTransport } from '../../../../src/bot/transports/room/rooms-transport.js';
import { linkRunner } from '../../../../src/call/runner-link.js';
import { murmur } from '../../../../src/sandbox/network/prompt-audio.js';
import type { RoomEventFault } from '../../../../src/sandbox/rooms/event-faults.js';
import { startSandbox } from '../../../../src/sandbox/sandbox.js';
import { AUTH_ID, AUTH_TOKEN, FakeCaller, PHONE_TOKEN } from '../../../sandbox/fake-caller.js';
import { startDialinWebhook } from '../../../sandbox/rooms/fake-dialin-webhook.js';
import { API_KEY, NUMBER, restOf, SECRET, SIP } from '../../../sandbox/rooms/live-rooms-under-test.js';
import { tone } from '../../../sandbox/rooms/room-guest.js';
import { HandRoomLink } from '../start-room.js';

/** What the telephone at the other end does. */
export type PhoneActs = 'speaks' | 'is silent' | 'is busy' | 'rings on';

export interface PlayedCall {
  readonly direction: 'in' | 'out';
  readonly phone: PhoneActs;
  readonly faults: readonly RoomEventFault[];
  /** How long a phone may ring, in milliseconds. */
  readonly ringMs: number;
  /** How long after the end of the phone's call the bot may end, in milliseconds. */
  readonly endsWithinMs: number;
}

export interface CallResult {
  /** When the telephone heard the bot, in seconds after it was connected with the room or answered; undefined: never. */
  heardAfter: number | undefined;
  /** Who has ended the call of the telephone: it by itself, or somebody else. */
  endedBy: string;
  /** How long the bot's pipeline went on after that, in seconds; undefined: it did not end. */
  botEndedAfter: number | undefined;
  /** How often the bot was told to greet. */
  greetings: number;
  events: string[];
  /** What the runner was told. */
  news: string[];
}

const CALLEE = '+12025550166';
const BOT_HZ = 1_000;
/** A telephone that hears nothing waits for so long, in milliseconds. */
const PATIENCE_MS = 16_000;
const GREETING = Int16Array.from(Array.from({ length: 75 }, (_, n) => [...tone(BOT_HZ, n)]).flat());
const WORDS = murmur('hello who is there please');

/** Plays one call over a sandbox with faults, with the real transport and real audio; a phone that hears the bot hangs up soon. */
export async function playCall({ direction, phone, faults, ringMs, endsWithinMs }: PlayedCall): Promise<CallResult> {
  await using played = await playedRoom(faults);
  const { sandbox, room, token, webhook } = played;
  await using caller = await (direction === 'in' ? FakeCaller.attach(sandbox) : attending(sandbox, phone));
  const result: CallResult = {
    heardAfter: undefined,
    endedBy: '',
    botEndedAfter: undefined,
    greetings: 0,
    events: [],
    news: [],
  };
  let frames = 0;
  let connectedAt = performance.now();
  caller.says = (frame) => {
    frames += 1;
    if (frames % 10 === 0 && result.heardAfter === undefined && isBot(caller.heard.all.slice(-10))) {
      result.heardAfter = Math.round((performance.now() - connectedAt) / 100) / 10;
      setTimeout(() => caller.client.hangUp(), 1_500);
    }
    return phone === 'speaks' ? wordsAt(frame) : SILENCE;
  };
  if (direction === 'in') caller.dial(sandbox);
  const dialin =
    direction === 'in'
      ? (await webhook.received.next(({ body }) => body.callId !== undefined)).body
      : { callId: undefined, callDomain: undefined };

  const link = new HandRoomLink({ isForwarded: false, dialout: undefined }, 0, ringMs);
  linkRunner({ roomUrl: room.url, token }, link);
  const transport = new RoomsTransport(room.url, token, 'bot', {
    apiKey: API_KEY,
    apiUrl: sandbox.roomsApiUrl,
    ...(dialin.callId && { dialinSettings: { callId: dialin.callId, callDomain: dialin.callDomain } }),
  });
  const task = new PipelineTask(new Pipeline([transport.input(), transport.output()]));
  const note = (name: string) => void result.events.push(name);
  for (const name of EVENTS) transport.on(name, () => note(name));
  transport.on(direction === 'in' ? 'first_participant_joined' : 'dialout_answered', () => {
    result.greetings += 1;
    task.queueFrame(new OutputAudioFrame(GREETING, 8_000));
  });
  let endedAt = Infinity;
  const run = task.run().then(
    () => {
      endedAt = performance.now();
    },
    () => {
      endedAt = performance.now();
    },
  );
  if (direction === 'out') await transport.startDialout({ phoneNumber: CALLEE });
  const runner = setTimeout(() => {
    if (direction === 'in' || link.types.includes('connected')) return;
    link.tell({ type: 'over', reason: 'no_answer' }); // as the runner does where the bot has not done so
    void task.cancel();
  }, ringMs + 1_000);
  const isAnswered = direction === 'in' || phone === 'speaks' || phone === 'is silent';
  if (isAnswered) await caller.events.next(({ type }) => type === 'answered', 10_000);
  connectedAt = performance.now();
  const impatience = setTimeout(() => caller.client.hangUp(), PATIENCE_MS);
  const end = await caller.events.next(({ type }) => type === 'ended', PATIENCE_MS + 5_000);
  clearTimeout(impatience);
  const phoneEndedAt = performance.now();
  if (end.type === 'ended') result.endedBy = `${end.end.source}: ${end.end.cause}`;
  const late = setTimeout(() => void task.cancel(), endsWithinMs);
  await run;
  clearTimeout(late);
  clearTimeout(runner);
  const after = Math.max(0, endedAt - phoneEndedAt) / 1_000;
  if (after < endsWithinMs / 1_000 - 0.5) result.botEndedAfter = Math.round(after * 10) / 10;
  result.news = link.types;
  return result;
}

/** A room of a sandbox with these faults, and a token for its bot. */
export async function playedRoom(eventFaults: readonly RoomEventFault[]) {
  const webhook = await startDialinWebhook();
  const sandbox = await startSandbox({
    authId: AUTH_ID,
    authToken: AUTH_TOKEN,
    phoneToken: PHONE_TOKEN,
    rooms: { apiKey: API_KEY, eventFaults },
  });
  const rest = restOf(sandbox);
  await rest('POST', '/domain-dialin-config', {
    type: 'pinless_dialin',
    phone_number: NUMBER,
    room_creation_api: webhook.url(),
    hmac: SECRET,
  });
  const { body: room } = await rest('POST', '/rooms', {
    privacy: 'private',
    properties: { enable_dialout: true, sip: { ...SIP, dialin_config: { max_idle_timeout_sec: 20 } } },
  });
  const { body: made } = await rest('POST', '/meeting-tokens', {
    properties: { room_name: room.name, is_owner: true },
  });
  const token: string = made.token;
  const close = async () => {
    await sandbox.close();
    await webhook[Symbol.asyncDispose]();
  };
  return { sandbox, room, token, webhook, [Symbol.asyncDispose]: close };
}

const EVENTS = [
  'first_participant_joined',
  'participant_joined',
  'participant_left',
  'dialin_ready',
  'dialin_connected',
  'dialin_stopped',
  'dialin_error',
  'dialout_connected',
  'dialout_answered',
  'dialout_stopped',
  'dialout_error',
] as const;

const SILENCE = new Uint8Array(160).fill(0xff);

async function attending(sandbox: Parameters<typeof FakeCaller.attending>[0], phone: PhoneActs): Promise<FakeCaller> {
  if (phone === 'is busy') return FakeCaller.attending(sandbox, CALLEE, { outcome: 'busy' });
  if (phone === 'rings on') return FakeCaller.attending(sandbox, CALLEE, { outcome: 'no_answer', ringMs: 60_000 });
  return FakeCaller.attending(sandbox, CALLEE, { ringMs: 1_200 });
}

/** Says the words, with a pause of two seconds between. */
function wordsAt(frame: number): Uint8Array {
  const at = (frame * 160) % (WORDS.length + 16_000);
  const said = WORDS.subarray(at, at + 160);
  return said.length === 160 ? said : SILENCE;
}

export function isBot(frames: readonly Uint8Array[], hz = BOT_HZ): boolean {
  const pcm = Float64Array.from(frames.flatMap((frame) => [...decodeMulaw(frame)]));
  const bin = new Goertzel(hz, 8_000);
  bin.measure(pcm);
  const energy = pcm.reduce((sum, sample) => sum + sample * sample, 0);
  return energy > 0 && (2 * bin.power) / (energy * pcm.length) > 0.5;
}
