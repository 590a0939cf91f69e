import type { Difference } from '../../../src/lab/certify/compare/difference.js';
import type { SandboxCarrier } from '../../../src/sandbox/faces.js';
import type { Deviation, Fields } from './differing-provider.js';

/** A difference that is planted, and how it is to be named. */
export interface Plant {
  readonly title: string;
  readonly carrier: SandboxCarrier;
  /** Of the tour; only this one is played, with the number before and after it. */
  readonly step: string;
  /** Makes what the provider does: what it keeps is of one tour. */
  readonly deviation: () => Deviation;
  /** What follows from it, as `kind: where: field`. */
  readonly also?: RegExp;
  readonly finds: Pick<Difference, 'kind' | 'where'> &
    Partial<Pick<Difference, 'field' | 'expected' | 'seen' | 'matters'>>;
}

const isAnswer = (path: string) => path.startsWith('/answer');
const isHangup = (path: string) => path.startsWith('/hangup');

function renamed(fields: Fields, from: string, to: string): Fields {
  const { [from]: value, ...others } = fields;
  return value === undefined ? fields : { ...others, [to]: value };
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...others } = fields;
  return others;
}

const inMessage = (event: string, change: (message: Fields) => readonly Fields[]): Required<Deviation>['stream'] => {
  return (message) => (message.event === event ? change(message) : [message]);
};

export const PLANTS: readonly Plant[] = [
  {
    title: 'a field of a webhook has another name',
    carrier: 'plivo',
    step: 'bot-hangs-up',
    deviation: () => ({
      webhook: (path, fields) => (isAnswer(path) ? renamed(fields, 'BillRate', 'CallRate') : fields),
    }),
    finds: { kind: 'field renamed', where: 'webhook /answer answer', field: 'BillRate', seen: 'CallRate' },
  },
  {
    title: 'a field of a webhook that voicebot reads has another name',
    carrier: 'plivo',
    step: 'bot-hangs-up',
    deviation: () => ({ webhook: (path, fields) => (isAnswer(path) ? renamed(fields, 'From', 'Caller') : fields) }),
    finds: { kind: 'field renamed', where: 'webhook /answer answer', field: 'From', seen: 'Caller', matters: true },
  },
  {
    title: 'a field of a webhook is missing',
    carrier: 'plivo',
    step: 'bot-hangs-up',
    deviation: () => ({ webhook: (path, fields) => (isHangup(path) ? without(fields, 'HangupCauseCode') : fields) }),
    finds: { kind: 'field missing', where: 'webhook /hangup hangup', field: 'HangupCauseCode', seen: 'not there' },
  },
  {
    title: 'a webhook has one field more',
    carrier: 'telnyx',
    step: 'bot-hangs-up',
    deviation: () => ({ webhook: (path, fields) => (isAnswer(path) ? { ...fields, ShakenLevel: 'A' } : fields) }),
    finds: { kind: 'field new', where: 'webhook /answer answer', field: 'ShakenLevel', matters: false },
  },
  {
    title: 'another word for the state of a call',
    carrier: 'twilio',
    step: 'bot-hangs-up',
    deviation: () => ({ webhook: (path, fields) => (isAnswer(path) ? { ...fields, CallStatus: 'queued' } : fields) }),
    also: /^message renamed: (document|webhook) .answer/,
    finds: {
      kind: 'other word',
      where: 'webhook /answer answer',
      field: 'CallStatus',
      expected: '"ringing"',
      seen: '"queued"',
    },
  },
  {
    title: 'a date is written in another form',
    carrier: 'twilio',
    step: 'call-out',
    deviation: () => ({
      webhook: (_path, fields) => (fields.Timestamp ? { ...fields, Timestamp: '2026-11-30T10:00:00Z' } : fields),
    }),
    finds: { kind: 'other form', where: 'webhook /ring hangup', field: 'Timestamp', seen: 'date, ISO 8601' },
  },
  {
    title: 'a number comes without its plus',
    carrier: 'twilio',
    step: 'bot-hangs-up',
    deviation: () => ({
      webhook: (path, fields) => (isAnswer(path) ? { ...fields, To: String(fields.To).slice(1) } : fields),
    }),
    finds: {
      kind: 'other form',
      where: 'webhook /answer answer',
      field: 'To',
      expected: '<own number>',
      seen: '<own number, digits>',
    },
  },
  {
    title: 'the hang-up webhook is late',
    carrier: 'plivo',
    step: 'bot-hangs-up',
    deviation: () => ({ webhookDelayMs: (path) => (isHangup(path) ? 6_000 : 0) }),
    also: /^message new: rest (DELETE|POST) .* 404/,
    finds: { kind: 'late', where: 'the hang-up webhook comes after our request to hang up' },
  },
  {
    title: 'a webhook does not come',
    carrier: 'plivo',
    step: 'call-out',
    deviation: () => ({ webhook: (path, fields) => (path.startsWith('/ring') ? undefined : fields) }),
    finds: { kind: 'message missing', where: 'webhook /ring ring' },
  },
  {
    title: 'a webhook comes again and again',
    carrier: 'twilio',
    step: 'bot-hangs-up',
    deviation: () => ({ webhookTimes: (path) => (isHangup(path) ? 4 : 1) }),
    finds: { kind: 'other count', where: 'webhook /hangup hangup', matters: false },
  },
  {
    title: 'another word for why a call ended',
    carrier: 'plivo',
    step: 'call-out-declined',
    deviation: () => ({
      webhook: (_path, fields) => (fields.HangupCause ? { ...fields, HangupCause: 'DECLINED_BY_CALLEE' } : fields),
    }),
    finds: { kind: 'other word', where: 'webhook /hangup hangup', field: 'HangupCause', seen: '"DECLINED_BY_CALLEE"' },
  },
  {
    title: 'a message of the stream has another name',
    carrier: 'plivo',
    step: 'bot-hangs-up',
    deviation: () => ({ stream: inMessage('playedStream', (message) => [{ ...message, event: 'played' }]) }),
    also: /^other word: stream playedStream: event/,
    finds: { kind: 'message renamed', where: 'stream playedStream', seen: 'played' },
  },
  {
    title: 'what is cleared is not confirmed',
    carrier: 'plivo',
    step: 'call-in',
    deviation: () => ({ stream: inMessage('clearedAudio', () => []) }),
    finds: { kind: 'message missing', where: 'stream clearedAudio', matters: true },
  },
  {
    title: 'another word for who has hung up, of two who could',
    carrier: 'plivo',
    step: 'transfer',
    deviation: () => ({
      webhook: (_path, fields) => (fields.HangupSource ? { ...fields, HangupSource: 'Somebody' } : fields),
    }),
    finds: { kind: 'other word', where: 'webhook /hangup hangup', field: 'HangupSource', seen: '"Somebody"' },
  },
  {
    title: 'a message of the stream that is not known',
    carrier: 'plivo',
    step: 'bot-hangs-up',
    deviation: () => ({
      stream: inMessage('start', (message) => [message, { event: 'heartbeat', sequenceNumber: 1 }]),
    }),
    finds: { kind: 'message new', where: 'stream heartbeat', matters: false },
  },
  {
    title: 'a field of a stream message is a text in place of a number',
    carrier: 'twilio',
    step: 'bot-hangs-up',
    deviation: () => ({
      stream: inMessage('start', ({ start, ...message }) => {
        const { mediaFormat, ...others } = start as { mediaFormat: Fields };
        return [{ ...message, start: { ...others, mediaFormat: { ...mediaFormat, channels: '1' } } }];
      }),
    }),
    finds: {
      kind: 'other word',
      where: 'stream start',
      field: 'start.mediaFormat.channels',
      expected: '1',
      seen: '"1"',
    },
  },
  {
    title: 'frames of audio are of another length',
    carrier: 'plivo',
    step: 'bot-hangs-up',
    deviation: () => {
      const held: Fields[] = [];
      return {
        stream: inMessage('media', (message) => {
          held.push(message);
          if (held.length < 2) return [];
          const payloads = held
            .splice(0)
            .map(({ media }) => Buffer.from((media as { payload: string }).payload, 'base64'));
          const media = { ...(message.media as Fields), payload: Buffer.concat(payloads).toString('base64') };
          return [{ ...message, media }];
        }),
      };
    },
    also: /^other pace/,
    finds: {
      kind: 'other form',
      where: 'stream media',
      field: 'media.payload',
      expected: 'base64, 160 bytes',
      seen: 'base64, 320 bytes',
    },
  },
  {
    title: 'every second frame of audio does not come',
    carrier: 'twilio',
    step: 'bot-hangs-up',
    deviation: () => {
      let frames = 0;
      return { stream: inMessage('media', (message) => (frames++ % 2 === 0 ? [message] : [])) };
    },
    finds: { kind: 'other pace', where: 'between two frames of audio' },
  },
  {
    title: 'messages of the stream come in another order',
    carrier: 'twilio',
    step: 'bot-hangs-up',
    deviation: () => {
      const held: Fields[] = [];
      return {
        stream: (message) => {
          if (message.event === 'start') return [message, ...held.splice(0)];
          if (message.event !== 'connected') return [message];
          held.push(message);
          return [];
        },
      };
    },
    finds: { kind: 'other order', where: 'stream start' },
  },
  {
    title: 'the provider closes the stream with another code',
    carrier: 'twilio',
    step: 'call-in',
    deviation: () => ({ closeCode: 1011 }),
    finds: { kind: 'other word', where: 'stream close', field: 'code', expected: '"1000"', seen: '"1011"' },
  },
  {
    title: 'the REST API answers with another status',
    carrier: 'twilio',
    step: 'call-out',
    deviation: () => ({
      rest: (method, path, answer) =>
        method === 'POST' && path.endsWith('/Calls.json') ? { ...answer, status: 200 } : answer,
    }),
    finds: { kind: 'other status', where: 'rest POST /Accounts/<account>/Calls.json 201' },
  },
  {
    title: 'a field of an answer of the REST API is missing',
    carrier: 'plivo',
    step: 'call-out',
    deviation: () => ({
      rest: (method, path, { status, fields }) => ({
        status,
        fields: method === 'POST' && /\/Call\/$/.test(path) ? without(fields, 'message') : fields,
      }),
    }),
    finds: { kind: 'field missing', where: 'rest POST /Account/<account>/Call/ 201', field: 'message' },
  },
  {
    title: 'another word for the outcome of a transfer',
    carrier: 'twilio',
    step: 'transfer',
    deviation: () => ({
      webhook: (_path, fields) =>
        fields.DialCallStatus === 'busy' ? { ...fields, DialCallStatus: 'rejected' } : fields,
    }),
    finds: {
      kind: 'other word',
      where: 'webhook /transfer-ended dial ended',
      field: 'DialCallStatus',
      seen: '"rejected"',
    },
  },
];
