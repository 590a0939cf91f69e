import { asObject, readJsonMessage, readMarkName, readPayload } from '../carrier/bot-message.js';
import { IncorrectPayload, type StreamCommand, type StreamSetup, type StreamWords } from '../carrier/face.js';
import type { SandboxStreamFormat } from '../network/stream-audio.js';
import { newSid } from './account.js';

/** All that this carrier's streams carry. */
export const STREAM_FORMAT: SandboxStreamFormat = { contentType: 'audio/x-mulaw', sampleRate: 8_000 };

/** The carrier names no limit; no bot needs messages longer than this. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** What Twilio says on a media stream of an account, with the quirks of the call. @see carrier reference 7.1 */
export function twilioStream({ call, verb, quirks }: StreamSetup, accountSid: string): StreamWords {
  const id = newSid('MZ');
  const extra = quirks.extraKeys ? { region: 'sandbox', trace: { hop: 1 } } : {};
  let sequenceNumber: number = quirks.firstSequenceNumber;
  let chunk = 0;

  const message = (event: string, fields: object) => {
    const text = JSON.stringify({ event, sequenceNumber: String(sequenceNumber), streamSid: id, ...fields, ...extra });
    sequenceNumber += 1;
    return text;
  };

  return {
    id,
    opening() {
      const { contentType: encoding, sampleRate } = verb.format;
      const start = {
        accountSid,
        streamSid: id,
        callSid: call.id,
        tracks: ['inbound'],
        mediaFormat: { encoding, sampleRate: quirks.numbersAsStrings ? String(sampleRate) : sampleRate, channels: 1 },
        customParameters: Object.fromEntries(verb.parameters),
      };
      const connected = JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' });
      const first = [connected, message('start', { start })];
      return quirks.unknownEvent ? [...first, message('quality', { quality: { jitter: 3 } })] : first;
    },
    audio(payload) {
      chunk += 1;
      const timestamp = String((chunk - 1) * 20);
      return message('media', {
        media: { track: 'inbound', chunk: String(chunk), timestamp, payload: payload.toString('base64') },
      });
    },
    digit: (digit) => message('dtmf', { dtmf: { track: 'inbound_track', digit } }),
    read(data, isBinary) {
      const command = readMessage(data, isBinary, id);
      if (!verb.bidirectional) throw new IncorrectPayload('a bot can send on a <Stream> in <Connect> only');
      return command;
    },
    marked(name) {
      if (quirks.repeatedAckNumbers) sequenceNumber -= 1;
      return message('mark', { mark: { name } });
    },
    cleared: () => undefined,
    problem: () => undefined,
    stopped: () => message('stop', { stop: { accountSid, callSid: call.id } }),
  };
}

/** Reads one message of the bot more strictly than the real carrier, so that a mistake shows here first. */
function readMessage(data: Buffer, isBinary: boolean, streamSid: string): StreamCommand {
  const message = readJsonMessage(data, isBinary, MAX_MESSAGE_BYTES);
  const { event } = message;
  if (event !== 'media' && event !== 'mark' && event !== 'clear')
    throw new IncorrectPayload(`unknown event ${JSON.stringify(event)?.slice(0, 64)}`);
  if (message.streamSid !== streamSid) throw new IncorrectPayload(`${event}.streamSid is not this stream's`);
  if (event === 'clear') return { do: 'clear' };
  if (event === 'mark') return { do: 'mark', name: readMarkName(asObject(message.mark, 'mark').name, 'mark.name') };
  return {
    do: 'play',
    payload: readPayload(asObject(message.media, 'media').payload, 'media.payload', STREAM_FORMAT),
  };
}
