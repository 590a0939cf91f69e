import {
  CarrierFrameSerializer,
  parseRoomsDialinRequest,
  parseTelephonyWebSocket,
  RoomsTransport,
  type RunnerArguments,
  WebSocketTransport,
} from 'voicebot';

export type CallTransport = WebSocketTransport | RoomsTransport;
export type SerializerOptions = ConstructorParameters<typeof CarrierFrameSerializer>[0];

/** The stream of a carrier's call. */
export async function carrierTransport(
  args: RunnerArguments,
  serializerOf = (options: SerializerOptions) => new CarrierFrameSerializer(options),
): Promise<WebSocketTransport> {
  if (args.transport !== 'carrier') throw new Error('run this bot with --transport carrier');
  const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken } = process.env;
  const serializer = serializerOf({ streamId, callId, authId, authToken });
  return new WebSocketTransport(args.websocket, { serializer });
}

/**
 * The room into which a caller is fetched, or from which somebody is called.
 * @param name what others in the room see
 */
export function roomTransport(args: RunnerArguments, name: string): RoomsTransport {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const { room_url, token, body, phone_number } = args;
  if (phone_number) return new RoomsTransport(room_url, token, name, { apiKey: process.env.ROOMS_API_KEY ?? '' });
  const { dialin_settings, daily_api_key: apiKey, daily_api_url: apiUrl } = parseRoomsDialinRequest(body);
  const dialinSettings = { callId: dialin_settings.call_id, callDomain: dialin_settings.call_domain };
  return new RoomsTransport(room_url, token, name, { apiKey, apiUrl, dialinSettings });
}

/** The stream or the room of a call, whichever it has. */
export async function callTransport(
  args: RunnerArguments,
  name: string,
  serializerOf?: Parameters<typeof carrierTransport>[1],
): Promise<CallTransport> {
  return args.transport === 'carrier' ? carrierTransport(args, serializerOf) : roomTransport(args, name);
}
