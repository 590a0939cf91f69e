import { randomUUID } from 'node:crypto';
import { IncorrectPayload, type StreamSetup, type StreamWords } from '../carrier/face.js';
import { readBotMessage } from './stream-messages.js';

/** What Plivo says on a media stream, with the quirks of the call. @see carrier reference 5 */
export function plivoStream({ call, verb, quirks }: StreamSetup): StreamWords {
  const id = randomUUID();
  const extraHeaders = verb.attributes.get('extraHeaders') ?? '';
  const extra = quirks.extraKeys ? { region: 'sandbox', trace: { hop: 1 } } : {};
  let sequenceNumber: number = quirks.firstSequenceNumber;
  let chunk = 0;

  const number = (value: number) => (quirks.numbersAsStrings ? String(value) : value);
  const message = (event: string, fields: object) => {
    const text = JSON.stringify({ sequenceNumber: number(sequenceNumber), event, ...fields, ...extra });
    sequenceNumber += 1;
    return text;
  };
  const acknowledgement = (event: string, fields: object) => {
    if (quirks.repeatedAckNumbers) sequenceNumber -= 1;
    return message(event, { streamId: id, ...fields });
  };

  return {
    id,
    opening() {
      const { contentType, sampleRate } = verb.format;
      const start = {
        callId: call.id,
        streamId: id,
        accountId: '1234567',
        tracks: ['inbound'],
        mediaFormat: { encoding: contentType, sampleRate: number(sampleRate) },
      };
      const first = message('start', { start, extra_headers: extraHeaders });
      if (!quirks.unknownEvent) return [first];
      return [first, message('networkQuality', { streamId: id, networkQuality: { jitter: 3 } })];
    },
    audio(payload) {
      chunk += 1;
      return message('media', {
        streamId: id,
        media: {
          track: 'inbound',
          timestamp: String(Date.now()),
          chunk: number(chunk),
          payload: payload.toString('base64'),
        },
        extra_headers: extraHeaders,
      });
    },
    digit: (digit) =>
      message('dtmf', {
        streamId: id,
        dtmf: { track: 'inbound', digit, timestamp: String(Date.now()) },
        extra_headers: extraHeaders,
      }),
    read(data, isBinary) {
      const command = readBotMessage(data, isBinary, id, verb.format);
      if ((command.do === 'play' || command.do === 'press') && !verb.bidirectional) {
        const event = command.do === 'play' ? 'playAudio' : 'sendDTMF';
        throw new IncorrectPayload(`${event} needs <Stream bidirectional="true">`);
      }
      return command;
    },
    marked: (name) => acknowledgement('playedStream', { name }),
    cleared: () => acknowledgement('clearedAudio', {}),
    problem: (reason, problem) => message('error', { streamId: id, reason, message: problem }),
    stopped: () => undefined,
  };
}
