import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FRAME_MS } from '../base/audio/frame.js';
import { VoicebotError } from '../base/errors.js';
import { type Logger, silentLogger } from '../base/logger.js';
import { type CarrierName, DEFAULT_CARRIER } from '../providers/registry/carrier-names.js';
import { DEFAULT_ROOM_PROVIDER } from '../providers/registry/room-provider-names.js';
import { CarrierNetwork } from './carrier/carrier-network.js';
import type { SandboxFaults } from './carrier/faults.js';
import { roomsFaceOf } from './extension-side.js';
import { faceOf } from './faces.js';
import { PhoneNetwork } from './network/network.js';
import { FIRST_NUMBER } from './network/numbers.js';
import { PhoneServer } from './network/phone-server.js';
import type { TextSpeaker } from './network/speech.js';
import { askDaily } from './rooms/ask-daily.js';
import type { RoomEventFault } from './rooms/event-faults.js';
import type { RoomsFace } from './rooms/face.js';
import type { RateLimits } from './rooms/rate-limits.js';
import type { TransferOrder } from './rooms/room-lines.js';
import { isForRooms, OWN_API_PATH, ROOMS_API_PATH, RoomService } from './rooms/room-service.js';
import type { TickSummary } from './rooms/tick-statistics.js';

/** How {@link startSandbox} sets the sandbox up. */
export interface SandboxOptions {
  /** TCP port on 127.0.0.1, 0-65535; 0 lets the system choose. Default 0. */
  port?: number;
  /** The carrier that it plays. Default `plivo`. */
  carrier?: CarrierName;
  /** Credentials of the REST API; the token also signs the webhooks, unless {@link privateKey} does. */
  authId: string;
  authToken: string;
  /** PEM of an Ed25519 key, for a carrier that signs with one. */
  privateKey?: string;
  /** Token that a phone must send to attach itself. Default: a random one, so that no phone can. */
  phoneToken?: string;
  /**
   * Plays a room provider too, for an account with this key; to test clients, with these faults of its rooms' events, with this order
   * of a transfer's events, and on a plan without transcription. Default: there is none.
   */
  rooms?: {
    /** Which room provider that is. Default `daily`. */
    provider?: string | undefined;
    apiKey: string;
    rateLimits?: RateLimits;
    eventFaults?: readonly RoomEventFault[];
    transferOrder?: TransferOrder;
    hasTranscription?: boolean;
  };
  /** First answer URL of the first number, on this machine. Without one, calls fail until one is set by REST. */
  answerUrl?: string;
  /** First hangup URL of that number. Without one, hang-up webhooks go to the answer URL at a carrier that does that. */
  hangupUrl?: string;
  /** How many dialled calls start per second of call time, 1 or more; the others are queued. Default: any number. */
  callsPerSecond?: number;
  /** Which requests fail and which streams break, to test clients. Default: none. */
  faults?: SandboxFaults;
  /** For tests: called with the audio that scripted phones hear: the number, E.164, and 20 ms of mu-law (160 bytes) each. */
  overhear?: (number: string, heard: Uint8Array) => void;
  /** For tests: who speaks for scripted phones and documents. Default: a voice of this machine, which takes its time. */
  speech?: TextSpeaker;
  /** Default: none. */
  logger?: Logger;
  /** How time passes, for tests. */
  timing?: SandboxTiming;
}

/** How fast time passes in a sandbox. */
export interface SandboxTiming {
  /** Real milliseconds per 20 ms of call time. Default 20; less makes audio and waits pass faster. */
  tickMs?: number;
  /** Longest wait for the answer to a webhook, in milliseconds. Default 15 000. */
  webhookTimeoutMs?: number;
  /** Milliseconds since the epoch, for rooms and tokens that expire. Default Date.now. */
  now?: () => number;
}

/** The offline phone network, playing the carrier, and a room provider where one is asked for. */
export interface Sandbox extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Base address of the carrier's REST API, used as `<apiUrl>/Account/<authId>/...` where it is Plivo's. */
  readonly apiUrl: string;
  /** Base address of the room provider's REST API, where there is one. */
  readonly roomsApiUrl: string;
  /** The application that is there from the start; empty where the carrier has none. */
  readonly applicationId: string;
  /** The first of the account's ten numbers, E.164: its calls go to the first answer URL, those of the others nowhere. */
  readonly number: string;
  /** Number of calls that have not ended, queued ones included. */
  readonly liveCalls: number;
  /** How long it takes to mix all rooms, tick by tick; undefined without a room provider. */
  readonly mixing: TickSummary | undefined;
  /** How often each number has been dialled so far, by E.164 number: by the REST API, a document's `<Dial>`, or a room. */
  readonly placedCalls: ReadonlyMap<string, number>;
  /** Ends all calls and closes everything; safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts the sandbox on this machine.
 * @throws VoicebotError VB_PORT_IN_USE, VB_SANDBOX_FAILED, VB_CARRIER_UNSUPPORTED, VB_IDENTIFIER_INVALID for an `authId` that is not of the carrier's form,
 *   VB_CONFIG_INVALID for a room provider that the sandbox does not play
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  return (await startPhoneNetwork(options)).sandbox;
}

/** A sandbox, and its telephones: for those that live in the same process. */
export interface StartedNetwork {
  readonly sandbox: Sandbox;
  readonly network: PhoneNetwork;
}

/** Starts the sandbox, as {@link startSandbox}, for telephones in this process. */
export async function startPhoneNetwork(options: SandboxOptions): Promise<StartedNetwork> {
  const { answerUrl = '', hangupUrl = '', callsPerSecond, overhear, speech, faults = {} } = options;
  const { logger = silentLogger, timing = {} } = options;
  const { tickMs = FRAME_MS, webhookTimeoutMs = 15_000 } = timing;
  const face = await faceOf(options.carrier ?? DEFAULT_CARRIER, { ...options, answerUrl, hangupUrl });
  const network = new PhoneNetwork({ tickMs, overhear, speech, logger });
  const carrier = new CarrierNetwork(network, face, { webhookTimeoutMs, callsPerSecond, faults, logger });
  const phones = new PhoneServer(network, options.phoneToken ?? randomUUID());
  const roomsFace = options.rooms && (await roomsFaceIn(options.rooms, () => url));
  const rooms =
    options.rooms &&
    roomsFace &&
    new RoomService(network, {
      ...options.rooms,
      face: roomsFace,
      baseUrl: () => url,
      webhookTimeoutMs,
      now: timing.now ?? Date.now,
      logger,
    });
  const carrierApi: RequestListener = face.restApi(carrier, faults);
  const roomsApp: RequestListener = rooms?.app ?? ((_request, response) => response.writeHead(404).end());
  const server = createServer((request, response) => {
    const app = isForRooms(request) ? roomsApp : carrierApi;
    app(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    const upgrades = rooms && isForRooms(request) ? rooms.server : phones;
    upgrades.handleUpgrade(request, socket, head);
  });
  await listen(server, options.port ?? 0);

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    server.close();
    await rooms?.close();
    await carrier.close();
    await phones.close();
    server.closeAllConnections();
  };
  const sandbox: Sandbox = {
    url,
    apiUrl: url + face.apiPath,
    roomsApiUrl: `${url}${roomsFace?.restApi ? OWN_API_PATH : ROOMS_API_PATH}`,
    get mixing() {
      return rooms?.live.mixing;
    },
    applicationId: face.applicationId ?? '',
    number: FIRST_NUMBER,
    get liveCalls() {
      return network.liveCalls;
    },
    placedCalls: network.placedCalls,
    close() {
      closing ??= close();
      return closing;
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
  return { sandbox, network };
}

function roomsFaceIn(
  { provider = DEFAULT_ROOM_PROVIDER, apiKey }: Required<SandboxOptions>['rooms'],
  urlOf: () => string,
): Promise<RoomsFace> {
  return roomsFaceOf(provider, { apiKey, daily: (asked) => askDaily(urlOf() + ROOMS_API_PATH, apiKey, asked) });
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (cause) {
    const isInUse = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw new VoicebotError(
      isInUse ? 'VB_PORT_IN_USE' : 'VB_SANDBOX_FAILED',
      isInUse ? String(port) : (cause as Error).message,
      {
        cause,
        ...(isInUse && { hint: 'Choose another port, or 0 for a free one.' }),
      },
    );
  }
}
