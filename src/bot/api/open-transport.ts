import { isRoomsDialinRequest, parseRoomsDialinRequest } from '../../call/rooms-dialin-request.js';
import type { CarrierRunnerArguments, RoomsRunnerArguments, RunnerArguments } from '../../call/runner-arguments.js';
import { type CallRunnerLink, runnerLinkOf } from '../../call/runner-link.js';
import { RoomsTransport } from '../transports/room/rooms-transport.js';
import { CarrierFrameSerializer } from '../transports/stream/carrier-frame-serializer.js';
import { parseTelephonyWebSocket } from '../transports/stream/parse-telephony-websocket.js';
import { WebSocketTransport } from '../transports/stream/websocket-transport.js';
import type { CheckedParts } from './bot-parts.js';

/** The way into a call: over a carrier's media stream, or in a media room. */
export type CallTransport = WebSocketTransport | RoomsTransport;

/**
 * The transport of a call, by what the runner gives a bot.
 * @param bot `name`: what others in a room see
 * @throws VoicebotError VB_STREAM_UNRECOGNISED, VB_STREAM_CLOSED, VB_CARRIER_UNSUPPORTED
 */
export async function openTransport(args: RunnerArguments, bot: BotInRoom): Promise<CallTransport> {
  return args.transport === 'carrier' ? openStream(args) : openRoom(args, bot);
}

type BotInRoom = Pick<CheckedParts<never>, 'name' | 'transcriptionEnabled'>;

async function openStream({ websocket }: CarrierRunnerArguments): Promise<WebSocketTransport> {
  const [carrier, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken } = process.env;
  const serializer = new CarrierFrameSerializer({ carrier, streamId, callId, authId, authToken });
  return new WebSocketTransport(websocket, { serializer });
}

/** A call that comes in is fetched into the room; one that goes out needs no key. */
function openRoom({ room_url, token, body }: RoomsRunnerArguments, bot: BotInRoom): RoomsTransport {
  const { name, transcriptionEnabled } = bot;
  if (!isRoomsDialinRequest(body)) {
    const apiKey = process.env.ROOMS_API_KEY || 'unused';
    return new RoomsTransport(room_url, token, name, { apiKey, transcriptionEnabled });
  }
  const { dialin_settings, daily_api_key: apiKey, daily_api_url: apiUrl } = parseRoomsDialinRequest(body);
  const dialinSettings = { callId: dialin_settings.call_id, callDomain: dialin_settings.call_domain };
  return new RoomsTransport(room_url, token, name, { apiKey, apiUrl, dialinSettings, transcriptionEnabled });
}

/** What the runner of a call can do for its bot; undefined where no runner has started it. */
export function runnerOf(args: RunnerArguments): CallRunnerLink | undefined {
  if (args.transport === 'carrier') return runnerLinkOf({ websocket: args.websocket });
  return runnerLinkOf({ roomUrl: args.room_url, token: args.token });
}

/** The custom data of a call: `{}` for one that came in. */
export function customDataOf(args: RunnerArguments): unknown {
  if (args.transport === 'carrier') return args.body;
  return isRoomsDialinRequest(args.body) ? {} : (args.body ?? {});
}
