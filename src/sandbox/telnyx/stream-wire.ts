import { randomUUID } from 'node:crypto';
import { asObject, readJsonMessage, readMarkName, readPayload } from '../carrier/bot-message.js';
import { IncorrectPayload, type StreamCommand, type StreamSetup, type StreamWords } from '../carrier/face.js';
import type { SandboxStreamFormat } from '../network/stream-audio.js';
import { encodingOf } from './stream-formats.js';

/** 30 s of L16 at 16 kHz in base64 are longer; no bot needs messages like that. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** How much audio a message may carry, in milliseconds. */
const AUDIO_MS = { least: 20, most: 30_000 };
const PROBLEMS = {
  incorrectPayload: { code: 100_003, title: 'malformed_frame' },
  buffer_overflow: { code: 100_005, title: 'rate_limit_reached' },
} as const;

/** What Telnyx says on a media stream of `account`, with the quirks of the call. @see carrier reference 7.2 */
export function telnyxStream(
  { call, verb, quirks, hasTwoCallNames, otherCodec }: StreamSetup,
  accountId: string,
): StreamWords {
  const id = randomUUID();
  const callControlId = hasTwoCallNames ? `v3:${Buffer.from(call.id).toString('base64url').slice(-100)}` : call.id;
  const extra = quirks.extraKeys ? { region: 'sandbox', trace: { hop: 1 } } : {};
  let sequenceNumber: number = quirks.firstSequenceNumber;
  let chunk = 0;
  let late: string | undefined;

  const message = (event: string, fields: object) => {
    const text = JSON.stringify({ event, sequence_number: String(sequenceNumber), stream_id: id, ...fields, ...extra });
    sequenceNumber += 1;
    return text;
  };
  const media = (payload: Buffer) => {
    chunk += 1;
    const timestamp = String((chunk - 1) * 20);
    return message('media', {
      media: { track: 'inbound', chunk: String(chunk), timestamp, payload: payload.toString('base64') },
    });
  };

  return {
    id,
    opening() {
      const rate = verb.format.sampleRate;
      const start = {
        user_id: accountId,
        call_control_id: callControlId,
        call_session_id: randomUUID(),
        from: call.setup.from,
        to: call.setup.to,
        tags: [],
        client_state: '',
        custom_parameters: Object.fromEntries(verb.parameters),
        media_format: {
          encoding: otherCodec ?? encodingOf(verb.format),
          sample_rate: quirks.numbersAsStrings ? String(rate) : rate,
          channels: 1,
        },
      };
      const first = [JSON.stringify({ event: 'connected', version: '1.0.0' }), message('start', { start })];
      return quirks.unknownEvent ? [...first, message('quality', { quality: { jitter: 3 } })] : first;
    },
    audio(payload) {
      const next = media(payload);
      if (!quirks.swappedFrames || chunk % 2 === 0) return next;
      // The second of two goes first.
      const due = late;
      late = next;
      return due;
    },
    digit: (digit) => message('dtmf', { occurred_at: new Date().toISOString(), dtmf: { digit } }),
    read(data, isBinary) {
      const command = readMessage(data, isBinary, verb.format);
      if (command.do === 'play' && !verb.bidirectional)
        throw new IncorrectPayload('media needs <Stream bidirectionalMode="rtp">');
      return command;
    },
    marked: (name) => message('mark', { mark: { name } }),
    cleared: () => undefined,
    problem: (reason, detail) =>
      JSON.stringify({ event: 'error', stream_id: id, payload: { ...PROBLEMS[reason], detail }, ...extra }),
    stopped: () => message('stop', { stop: { user_id: accountId, call_control_id: callControlId } }),
  };
}

/** Reads one message of the bot more strictly than the real carrier, so that a mistake shows here first. */
function readMessage(data: Buffer, isBinary: boolean, format: SandboxStreamFormat): StreamCommand {
  const message = readJsonMessage(data, isBinary, MAX_MESSAGE_BYTES);
  switch (message.event) {
    case 'media': {
      const payload = readPayload(asObject(message.media, 'media').payload, 'media.payload', format);
      const bytesPerMs = (format.sampleRate * (format.contentType === 'audio/x-l16' ? 2 : 1)) / 1_000;
      const ms = payload.length / bytesPerMs;
      if (ms < AUDIO_MS.least || ms > AUDIO_MS.most)
        throw new IncorrectPayload(`media.payload must be 20 ms to 30 s of audio, not ${ms} ms`);
      return { do: 'play', payload };
    }
    case 'mark':
      return { do: 'mark', name: readMarkName(asObject(message.mark, 'mark').name, 'mark.name') };
    case 'clear':
      return { do: 'clear' };
    default:
      throw new IncorrectPayload(`unknown event ${JSON.stringify(message.event)?.slice(0, 64)}`);
  }
}
