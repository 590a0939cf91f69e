import type { RawData, WebSocket } from 'ws';
import { VoicebotError } from '../../../base/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../../../base/names/option-names.js';
import type { Carrier } from '../../../providers/carrier.js';
import { carrierByName, recogniseStream, type StreamIntroduction } from '../../../providers/registry/carriers.js';
import { learnFormat } from './stream-formats.js';

/** What the first message of a media stream says about the call. */
export interface TelephonyCallData {
  /** Identifier of the media stream. */
  stream_id: string;
  /** The carrier's call identifier. */
  call_id: string;
}

/** How long {@link parseTelephonyWebSocket} waits. */
export interface ParseTelephonyOptions {
  /** Longest wait for the stream to introduce itself, in milliseconds. Default 5000. */
  timeoutMs?: number;
}

const OPTIONS: OptionNames<ParseTelephonyOptions> = { timeoutMs: true };

interface HeldMessage {
  readonly data: RawData;
  readonly isBinary: boolean;
}

/**
 * Finds out which carrier is on the other end of a media stream and which call it carries. Decides on the first
 * messages and swallows none: the socket is paused, and the next listener to `message` gets them again.
 *
 * @returns the transport type, such as `plivo`, and the call data
 * @throws VoicebotError VB_STREAM_UNRECOGNISED when no start message arrives in time, none is understood, or it names another call,
 *   VB_STREAM_CLOSED when the socket closes first, VB_CARRIER_UNSUPPORTED for a carrier without a codec, VB_CONFIG_INVALID for an
 *   option that is not known
 */
export async function parseTelephonyWebSocket(
  websocket: WebSocket,
  options: ParseTelephonyOptions = {},
): Promise<[transportType: string, callData: TelephonyCallData]> {
  refuseUnknownOptions(options, OPTIONS);
  const { timeoutMs = 5_000 } = options;
  const held: HeldMessage[] = [];
  // Pausing stops the socket, but messages it had already read still come: they are held until the next listener is there.
  const hold = (data: RawData, isBinary: boolean) => held.push({ data, isBinary });
  websocket.on('message', hold);
  try {
    const stream = await introduction(websocket, held, timeoutMs);
    const carrier = carrierByName(stream.carrier); // refused here when it has no codec
    const callId = callOf(websocket, carrier, stream.providerCallId);
    const messages = held.map(({ data }) => carrier.createCodec(stream.streamId).decode(String(data)));
    const start = messages.find(({ type }) => type === 'start');
    if (start?.type === 'start') learnFormat(websocket, start.format);
    replayToNextListener(websocket, hold, held);
    return [stream.carrier, { stream_id: stream.streamId, call_id: callId }];
  } catch (error) {
    websocket.off('message', hold);
    throw error;
  }
}

function introduction(
  websocket: WebSocket & { carrier?: string | undefined },
  held: readonly HeldMessage[],
  timeoutMs: number,
): Promise<StreamIntroduction> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      websocket.off('message', onMessage).off('close', onClose);
      settle();
    };
    const fail = (code: 'VB_STREAM_UNRECOGNISED' | 'VB_STREAM_CLOSED', detail: string) =>
      finish(() => reject(new VoicebotError(code, detail)));
    const onMessage = () => {
      const found = recogniseStream(
        held.map(({ data }) => String(data)),
        websocket.carrier, // a runner's socket knows it
      );
      if (found === 'need_more') return;
      websocket.pause();
      if (found === 'unrecognised') fail('VB_STREAM_UNRECOGNISED', 'the first messages are of no known carrier');
      else finish(() => resolve(found));
    };
    const onClose = (code: number) => fail('VB_STREAM_CLOSED', `before its start message, with code ${code}`);
    const timer = setTimeout(
      () => fail('VB_STREAM_UNRECOGNISED', `no start message within ${timeoutMs} ms`),
      timeoutMs,
    );
    if (websocket.readyState !== websocket.OPEN) return onClose(1006);
    websocket.on('message', onMessage).on('close', onClose);
    websocket.resume();
  });
}

/**
 * A runner's socket knows the call it was let in for, by the name that the carrier's webhooks and its REST API have for it. A stream that
 * speaks for another one is no business of this bot; but where nothing but the pass of its call lets a stream in, the pass says enough,
 * and the carrier may have two names for a call (carrier reference 7.2).
 * @returns the name that the REST API knows
 */
function callOf(
  websocket: WebSocket & { providerCallId?: string | undefined },
  carrier: Carrier,
  callId: string,
): string {
  const known = websocket.providerCallId || callId;
  if (known === callId || !carrier.capabilities.signsStreams) return known;
  throw new VoicebotError('VB_STREAM_UNRECOGNISED', 'its start message names another call');
}

function replayToNextListener(
  websocket: WebSocket,
  hold: (data: RawData, isBinary: boolean) => void,
  held: readonly HeldMessage[],
): void {
  const onNewListener = (event: string) => {
    if (event !== 'message') return;
    websocket.off('newListener', onNewListener).off('message', hold);
    queueMicrotask(() => {
      for (const { data, isBinary } of held) websocket.emit('message', data, isBinary);
      websocket.resume();
    });
  };
  websocket.on('newListener', onNewListener);
}
