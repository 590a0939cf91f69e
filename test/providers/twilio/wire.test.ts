import fc from 'fast-check';
import { decodeDamaged, isSensible } from '../../../src/lab/kit/conformance/damaged-messages.js';
import type { StreamMessage } from '../../../src/providers/carrier.js';
import { isSid } from '../../../src/providers/twilio/identifier.js';
import { TwilioCodec } from '../../../src/providers/twilio/wire.js';
import { recordedMessage, recordedMessages } from '../plivo/recorded-messages.js';

const streamId = 'MZ18ad3ab5a668481ce02b83e7395059f0';
const callId = 'CA5d41402abc4b2a76b9719d911017c592';
const codec = new TwilioCodec(streamId);
const PCMU = { encoding: 'PCMU', sampleRate: 8000 } as const;

const decode = (message: unknown) => codec.decode(JSON.stringify(message));
const decodeRecorded = (name: string) => codec.decode(recordedMessage(`twilio/${name}`));
const isCallId = (id: string) => isSid(id, 'CA');

test.each<[string, StreamMessage]>([
  ['connected', { type: 'unknown', event: 'connected' }],
  ['start', { type: 'start', streamId, providerCallId: callId, format: PCMU }],
  ['start_string_numbers', { type: 'start', streamId, providerCallId: callId, format: PCMU }],
  [
    'start_unsupported_encoding',
    {
      type: 'unsupported',
      streamId,
      providerCallId: callId,
      detail: 'cannot decode encoding "audio/x-l16" at sample rate 16000',
    },
  ],
  ['media_outbound_track', { type: 'unknown', event: 'media of the outbound track' }],
  ['dtmf', { type: 'dtmf', digit: '1' }],
  ['mark', { type: 'mark', name: 'utt-3-end' }],
  ['stop', { type: 'stop' }],
])('reads %s', (name, expected) => {
  expect(decodeRecorded(name)).toEqual(expected);
});

test('reads 20 ms of audio, from text and from bytes', () => {
  const text = recordedMessage('twilio/media');
  const payload = Buffer.from(JSON.parse(text).media.payload, 'base64');
  expect(payload).toHaveLength(160);
  expect(codec.decode(text)).toEqual({ type: 'audio', payload });
  for (const _ of ['parsed', 'by its form'])
    expect(codec.decode(Buffer.from(text))).toEqual({ type: 'audio', payload });
});

test('takes what is out of order, doubled or without a number for what it says', () => {
  const media = JSON.parse(recordedMessage('twilio/media'));
  for (const sequenceNumber of ['9', '1', '1', 'x', '', 7, null, undefined, {}]) {
    const text = JSON.stringify({ ...media, sequenceNumber });
    expect(codec.decode(text)).toMatchObject({ type: 'audio' });
    expect(codec.decode(Buffer.from(text))).toMatchObject({ type: 'audio' });
  }
});

test('takes mu-law for granted when the format is missing, and nothing else for it', () => {
  const start = { callSid: callId, streamSid: streamId };
  expect(decode({ event: 'start', start })).toMatchObject({ type: 'start', format: PCMU });
  for (const mediaFormat of [
    null,
    'audio/x-mulaw',
    {},
    { encoding: 'audio/x-mulaw', sampleRate: 16000 },
    { encoding: 1 },
  ]) {
    expect(decode({ event: 'start', start: { ...start, mediaFormat } })).toMatchObject({ type: 'unsupported' });
  }
});

test.each(['', '.', '../Calls', 'CA1', `${callId}0`, `${callId}\n`, callId.replace('CA', 'SM'), 17, null, ['a'], {}])(
  'refuses the call id %j',
  (id) => {
    expect(decode({ event: 'start', start: { callSid: id, streamSid: streamId } })).toMatchObject({
      type: 'malformed',
    });
    expect(decode({ event: 'start', start: { callSid: callId, streamSid: id } })).toMatchObject({ type: 'malformed' });
  },
);

test.each(['plivo/messages', 'telnyx', 'exotel'])('does not let a message of %s end or disturb a call', (folder) => {
  for (const text of recordedMessages(folder)) {
    const { event } = JSON.parse(text);
    const { type } = codec.decode(text);
    expect(type === 'start' || type === 'unsupported').toBe(false);
    expect(type === 'stop').toBe(event === 'stop');
  }
});

test('writes what the carrier takes, and nothing else', () => {
  const bytes = Buffer.alloc(200, 7).subarray(20, 180); // a view: only its own bytes may be sent
  expect(JSON.parse(codec.encodeAudio(bytes))).toEqual({
    event: 'media',
    streamSid: streamId,
    media: { payload: Buffer.alloc(160, 7).toString('base64') },
  });
  expect(JSON.parse(codec.encodeMark('a "quoted" name'))).toEqual({
    event: 'mark',
    streamSid: streamId,
    mark: { name: 'a "quoted" name' },
  });
  expect(JSON.parse(codec.encodeClear())).toEqual({ event: 'clear', streamSid: streamId });
  expect(codec.encodeDtmf()).toBeUndefined();
});

test('what goes out comes back as it was', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 700 }), fc.string(), (payload, name) => {
      const audio = codec.decode(Buffer.from(codec.encodeAudio(payload)));
      expect(Buffer.compare((audio as { payload: Uint8Array }).payload, payload)).toBe(0);
      expect(codec.decode(codec.encodeMark(name))).toEqual({ type: 'mark', name });
    }),
  );
});

test.each([
  { encoding: 'PCMA', sampleRate: 8000 } as const,
  { encoding: 'PCMU', sampleRate: 16000 } as const,
  { encoding: 'L16', sampleRate: 16000 } as const,
])('refuses to speak %j', (format) => {
  expect(() => new TwilioCodec(streamId, format)).toThrow(expect.objectContaining({ code: 'VB_AUDIO_INVALID' }));
});

test.each([
  '',
  'null',
  '17',
  '[]',
  '{}',
  '{"event":7}',
  '{"event":"media"',
  'PING',
  '{"event":"mark","mark":{"name":1}}',
])('calls %j malformed', (text) => {
  expect(codec.decode(text)).toMatchObject({ type: 'malformed' });
});

describe('damaged messages', () => {
  test('never throw and always give a sensible message: 10,000 mutations of the recorded ones', () => {
    const { seen, wrong } = decodeDamaged(codec, recordedMessages('twilio'), { count: 10_000, seed: 1, isCallId });
    expect(wrong).toEqual([]);
    // The damage leaves every type reachable.
    const types = ['audio', 'dtmf', 'malformed', 'mark', 'start', 'stop', 'unknown', 'unsupported'];
    expect([...seen].sort()).toEqual(types);
  });

  test('never throw, whatever the text or the value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) =>
        isSensible(codec.decode(text), isCallId),
      ),
      { numRuns: 1_000 },
    );
    const event = fc.constantFrom('start', 'media', 'dtmf', 'mark', 'stop');
    fc.assert(
      fc.property(event, fc.jsonValue(), (name, inner) => isSensible(decode({ event: name, [name]: inner }), isCallId)),
      { numRuns: 1_000 },
    );
  });

  test('survive the deepest nesting a message can hold, wherever it sits', () => {
    const deep = '['.repeat(32_000) + ']'.repeat(32_000);
    const start = (more: string) =>
      `{"event":"start","start":{"callSid":"${callId}","streamSid":"${streamId}",${more}}}`;
    expect(codec.decode(deep)).toMatchObject({ type: 'malformed' });
    expect(codec.decode(`{"event":"mark","mark":${deep}}`)).toMatchObject({ type: 'malformed' });
    expect(codec.decode(start(`"mediaFormat":${deep}`))).toMatchObject({ type: 'unsupported' });
    expect(codec.decode(start(`"mediaFormat":{"encoding":${deep}}`))).toMatchObject({ type: 'unsupported' });
    expect(codec.decode(start(`"customParameters":${deep}`))).toMatchObject({ type: 'start' });
  });
});
