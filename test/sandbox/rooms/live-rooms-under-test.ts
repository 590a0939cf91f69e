import { Goertzel } from '../../../src/base/audio/goertzel.js';
import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { RoomEventFault } from '../../../src/sandbox/rooms/event-faults.js';
import type { TransferOrder } from '../../../src/sandbox/rooms/room-lines.js';
import type { SandboxTiming } from '../../../src/sandbox/sandbox.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js';
import { AUTH_ID, AUTH_TOKEN, FakeCaller, PHONE_TOKEN } from '../fake-caller.js';
import { startDialinWebhook } from './fake-dialin-webhook.js';
import { RoomGuest, tone } from './room-guest.js';

export const API_KEY = 'room-api-key-of-the-tests';
export const SECRET = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
export const NUMBER = '+12025550100';
export const SIP = { display_name: 'Ada', sip_mode: 'dial-in' };

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests that read them
type Json = any;

/**
 * The sandbox with a room provider, reached over its sockets only, and the webhook of its number.
 * @param options `answer`: what the webhook answers with; `timeoutMessage` of the number
 */
export async function startLiveRooms({
  timing = { tickMs: 2 },
  status = () => 200,
  timeoutMessage,
  eventFaults = [],
  transferOrder,
  hasTranscription = true,
}: {
  timing?: SandboxTiming;
  status?: () => number | undefined;
  timeoutMessage?: string;
  eventFaults?: readonly RoomEventFault[];
  transferOrder?: TransferOrder;
  hasTranscription?: boolean;
} = {}) {
  const webhook = await startDialinWebhook((_request, response) => {
    const answer = status();
    if (answer !== undefined) response.writeHead(answer).end();
  });
  const sandbox = await startSandbox({
    authId: AUTH_ID,
    authToken: AUTH_TOKEN,
    phoneToken: PHONE_TOKEN,
    rooms: { apiKey: API_KEY, eventFaults, hasTranscription, ...(transferOrder && { transferOrder }) },
    timing,
  });
  const rest = restOf(sandbox);
  const { body: domain } = await rest('GET', '/');
  await rest('POST', '/domain-dialin-config', {
    type: 'pinless_dialin',
    phone_number: NUMBER,
    room_creation_api: webhook.url(),
    hmac: SECRET,
    ...(timeoutMessage && { timeout_config: { message: timeoutMessage } }),
  });
  const tokenFor = async (room_name: string | undefined, properties: object = {}): Promise<string> =>
    (await rest('POST', '/meeting-tokens', { properties: { ...(room_name && { room_name }), ...properties } })).body
      .token;
  let rooms = 0;
  const tickMs = timing.tickMs ?? 20;
  const live = {
    sandbox,
    webhook,
    rest,
    tokenFor,
    domainId: domain.domain_id as string,
    /** A private room that takes a caller and may dial out. */
    async room(properties: object = {}, privacy = 'private'): Promise<{ name: string; url: string; endpoint: string }> {
      rooms += 1;
      const { status, body } = await rest('POST', '/rooms', {
        name: `room-${rooms}`,
        privacy,
        properties: { enable_dialout: true, sip: SIP, ...properties },
      });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return { name: body.name, url: body.url, endpoint: body.config.sip_uri?.endpoint };
    },
    /** An owner in a room. */
    async owner(room: { name: string; url: string }, userName = 'bot'): Promise<RoomGuest> {
      const token = await tokenFor(room.name, { is_owner: true, user_name: userName });
      return RoomGuest.join(room.url, { token, tickMs });
    },
    /** A phone that has dialled the number and is held. */
    async caller(): Promise<{ caller: FakeCaller; callId: string }> {
      const caller = await FakeCaller.attach(sandbox);
      caller.dial(sandbox);
      const { body } = await webhook.received.next(({ body: { callId } }) => callId !== undefined);
      return { caller, callId: body.callId };
    },
    forward(callId: string, endpoint: string): Promise<{ status: number; body: Json }> {
      return rest('POST', '/dialin/pinlessCallUpdate', { callId, callDomain: domain.domain_id, sipUri: endpoint });
    },
    /** A caller who is in the room. */
    async callerIn(room: { endpoint: string }, owner: RoomGuest): Promise<{ caller: FakeCaller; sessionId: string }> {
      const { caller, callId } = await live.caller();
      await live.forward(callId, room.endpoint);
      const { sessionId } = await owner.event('dialin-connected');
      await owner.event('participant-joined');
      return { caller, sessionId };
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      await webhook[Symbol.asyncDispose]();
    },
  };
  return live;
}

export function restOf(sandbox: Sandbox) {
  return async (method: string, path: string, body?: object): Promise<{ status: number; body: Json }> => {
    const response = await fetch(`${sandbox.roomsApiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
}

/** What a phone that hums says. */
export const hum =
  (frequency: number, amplitude = 8_000) =>
  (frame: number): Uint8Array =>
    encodeMulaw(tone(frequency, frame, amplitude));

/** How much of the audio is a tone of this frequency, 0 to 1, and how loud all of it is, in dB. */
export function measure(pcm: Int16Array, frequency: number): { purity: number; level: number } {
  const bin = new Goertzel(frequency, 8_000);
  const block = Float64Array.from(pcm);
  bin.measure(block);
  const energy = block.reduce((sum, sample) => sum + sample * sample, 0);
  return { purity: energy === 0 ? 0 : (2 * bin.power) / (energy * block.length), level: levelDb(pcm) };
}

/** The next `frames` that an inbox gets, as one stretch of PCM. */
export async function listen(heard: { next(): Promise<Uint8Array | Int16Array> }, frames: number): Promise<Int16Array> {
  const pcm = new Int16Array(frames * 160);
  for (let frame = 0; frame < frames; frame += 1) {
    const piece = await heard.next();
    pcm.set(piece instanceof Int16Array ? piece : decodeMulaw(piece), frame * 160);
  }
  return pcm;
}

/** Waits until half a second of what is heard is this tone; fails after `limitFrames`. */
export async function hears(
  heard: { next(): Promise<Uint8Array | Int16Array> },
  frequency: number,
  limitFrames = 400,
): Promise<{ purity: number; level: number }> {
  let last = { purity: 0, level: 0 };
  for (let frames = 0; frames < limitFrames; frames += 10) {
    last = measure(await listen(heard, 10), frequency);
    if (last.purity > 0.9) return last;
  }
  throw new Error(`no tone of ${frequency} Hz is heard: ${JSON.stringify(last)}`);
}
