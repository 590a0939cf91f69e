import type { RawData } from 'ws';
import { z } from 'zod';
import { parseFields } from '../../base/http/json-fields.js';
import { type ClientMessage, MAX_MESSAGE_BYTES } from '../../providers/rooms/webrtc/room-wire.js';

const MAX_TOKEN = 4_096;
const MAX_NAME = 200;

const Message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('join'),
    token: z.string().max(MAX_TOKEN),
    userName: z.string().max(MAX_NAME),
    sdp: z.string().max(MAX_MESSAGE_BYTES),
  }),
  z.object({
    type: z.literal('request'),
    id: z.int().min(0),
    method: z.enum([
      'startDialOut',
      'stopDialOut',
      'sendDTMF',
      'sipCallTransfer',
      'sipRefer',
      'eject',
      'updatePermissions',
      'startTranscription',
      'updateTranscription',
      'stopTranscription',
    ]),
    params: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('leave') }),
]);

/** Undefined for a message that clients of a room do not send. */
export function readClientMessage(data: RawData, isBinary: boolean): ClientMessage | undefined {
  return isBinary ? undefined : Message.safeParse(parseFields(data.toString())).data;
}
