import fc from 'fast-check';
import { decodeDamaged, isSensible } from '../../../src/lab/kit/conformance/damaged-messages.js';
import type { StreamMessage } from '../../../src/providers/carrier.js';
import { isPlivoIdentifier } from '../../../src/providers/plivo/identifier.js';
import { PlivoCodec } from '../../../src/providers/plivo/wire.js';
import { recordedMessage, recordedMessages } from './recorded-messages.js';

const streamId = 'e1d2c3b4-a596-4788-8697-a6b5c4d3e2f1';
const callId = 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44';
const codec = new PlivoCodec(streamId);

const decodeRecorded = (name: string) => codec.decode(recordedMessage(`plivo/messages/${name}`));
const decode = (message: unknown) => codec.decode(JSON.stringify(message));
const PCMU = { encoding: 'PCMU', sampleRate: 8000 };

describe('start', () => {
  const start = { type: 'start', streamId, providerCallId: callId, format: PCMU };

  test.each([
    ['start', start],
    ['start_sequence_zero', start],
    ['start_string_numbers', start],
    ['start_preflight_client', start],
    ['start_unknown_keys', start],
    ['start_semicolon_headers', start],
    ['start_json_headers', start],
    ['start_object_headers', start],
    ['start_clone_rate_in_encoding', start],
    ['start_clone_rate_only_in_encoding', { ...start, format: { encoding: 'L16', sampleRate: 24000 } }],
    ['start_l16_16000', { ...start, format: { encoding: 'L16', sampleRate: 16000 } }],
  ])('reads the recorded %s', (name, expected) => {
    expect(decodeRecorded(name)).toEqual(expected);
  });

  test('takes the format we ask for when the message names none', () => {
    expect(decode({ event: 'start', start: { callId, streamId } })).toEqual(start);
  });

  test('reports audio it cannot decode, with the call it belongs to', () => {
    expect(decodeRecorded('start_unsupported_encoding')).toEqual({
      type: 'unsupported',
      streamId,
      providerCallId: callId,
      detail: 'cannot decode encoding "audio/opus" at sample rate 48000',
    });
  });

  test.each([
    [{ encoding: 'audio/x-mulaw', sampleRate: 16000 }],
    [{ encoding: 'audio/x-mulaw', sampleRate: 'fast' }],
    [{ encoding: 'audio/x-mulaw' }],
    [{ encoding: 'constructor', sampleRate: 8000 }],
    [{ encoding: { toString: 1 }, sampleRate: 8000 }],
    [{ encoding: 'audio/x-mulaw', sampleRate: { valueOf: 1, toString: 1 } }],
    [null],
    ['audio/x-mulaw'],
  ])('reports the format %j as unsupported', (mediaFormat) => {
    expect(decode({ event: 'start', start: { callId, streamId, mediaFormat } })).toMatchObject({ type: 'unsupported' });
  });

  test.each([
    '',
    '.',
    '..',
    '../Call',
    'a/b',
    'a.b',
    'a b',
    'a\n',
    'ä',
    'x'.repeat(65),
    17,
    null,
    undefined,
    ['a'],
    {},
  ])('refuses the call id %j', (id) => {
    expect(decode({ event: 'start', start: { callId: id, streamId } })).toMatchObject({ type: 'malformed' });
    expect(decode({ event: 'start', start: { callId, streamId: id } })).toMatchObject({ type: 'malformed' });
  });
});

describe('media', () => {
  test.each(['media', 'media_string_numbers', 'media_preflight_client', 'media_unpadded'])(
    'reads 20 ms of audio from the recorded %s',
    (name) => {
      const message = decodeRecorded(name);
      expect(message).toMatchObject({ type: 'audio' });
      expect((message as { payload: Uint8Array }).payload).toHaveLength(160);
    },
  );

  test('gives the bytes that were sent, whatever their number', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 700 }), fc.boolean(), (bytes, isPadded) => {
        const text = Buffer.from(bytes).toString('base64');
        const message = decode({ event: 'media', media: { payload: isPadded ? text : text.replaceAll('=', '') } });
        expect(message.type).toBe('audio');
        expect(Buffer.compare((message as { payload: Uint8Array }).payload, bytes)).toBe(0);
      }),
    );
  });

  test('does not take what the bot says for the caller', () => {
    expect(decodeRecorded('media_outbound_track')).toMatchObject({ type: 'unknown' });
  });

  test.each([
    '',
    '=',
    '==',
    '====',
    'A',
    'A===',
    'AAAAA',
    '!!!!',
    'AA AA',
    'AAAA====',
    'AA=AAA',
    'ÄÄÄÄ',
    '\u0000AAA',
    5,
    null,
    undefined,
    [],
    {},
  ])('refuses the payload %j', (payload) => {
    expect(decode({ event: 'media', media: { payload } })).toMatchObject({ type: 'malformed' });
  });

  test('refuses 16-bit audio that ends inside a sample', () => {
    const l16 = new PlivoCodec(streamId, { encoding: 'L16', sampleRate: 16000 });
    const message = (payload: string) => l16.decode(JSON.stringify({ event: 'media', media: { payload } }));
    expect(message('AAAA')).toMatchObject({ type: 'malformed' });
    expect(message('AAA=')).toMatchObject({ type: 'audio' });
    expect(l16.decode(recordedMessage('plivo/messages/media_l16_16000'))).toMatchObject({ type: 'audio' });
  });
});

describe('other messages', () => {
  test.each<[string, StreamMessage]>([
    ['dtmf', { type: 'dtmf', digit: '5' }],
    ['dtmf_number', { type: 'dtmf', digit: '0' }],
    ['dtmf_hash', { type: 'dtmf', digit: '#' }],
    ['played_stream', { type: 'mark', name: 'utt-3-end' }],
    ['played_stream_clone', { type: 'mark', name: 'utt-3-end' }],
    ['played', { type: 'mark', name: 'utt-3-end' }],
    ['cleared_audio', { type: 'cleared' }],
    ['cleared_audio_clone', { type: 'cleared' }],
    ['stop', { type: 'stop' }],
    ['stop_clone', { type: 'stop' }],
    ['error', { type: 'error', detail: 'error: incorrectPayload' }],
    ['error_nested', { type: 'error', detail: 'error: buffer_overflow' }],
    ['play_failed', { type: 'error', detail: 'playFailed: invalid_content_type' }],
    ['unknown_event', { type: 'unknown', event: 'degradedNetwork' }],
  ])('reads the recorded %s', (name, expected) => {
    expect(decodeRecorded(name)).toEqual(expected);
  });

  test('reads all sixteen digits, in either case', () => {
    for (const digit of '0123456789*#ABCD') {
      expect(decode({ event: 'dtmf', dtmf: { digit } })).toEqual({ type: 'dtmf', digit });
      expect(decode({ event: 'dtmf', dtmf: { digit: digit.toLowerCase() } })).toEqual({ type: 'dtmf', digit });
    }
  });

  test.each(['E', '', '12', '5\n', 'é', 10, -1, 1.5, null, undefined, ['5'], {}])('refuses the digit %j', (digit) => {
    expect(decode({ event: 'dtmf', dtmf: { digit } })).toMatchObject({ type: 'malformed' });
  });

  test('does not take digits of the outbound track for the caller pressing keys', () => {
    expect(decode({ event: 'dtmf', dtmf: { track: 'outbound', digit: '5' } })).toMatchObject({ type: 'unknown' });
  });

  test.each([undefined, null, 7, {}, ['x']])('refuses an acknowledgement named %j', (name) => {
    expect(decode({ event: 'playedStream', name })).toMatchObject({ type: 'malformed' });
  });

  test('shortens what a stranger chose to say', () => {
    expect(decode({ event: 'x'.repeat(5_000) })).toEqual({ type: 'unknown', event: `${'x'.repeat(63)}…` });
    const { detail } = decode({ event: 'error', reason: 'y'.repeat(5_000) }) as { detail: string };
    expect(detail.length).toBeLessThan(300);
    const mediaFormat = { encoding: 'z'.repeat(5_000) };
    const refused = decode({ event: 'start', start: { callId, streamId, mediaFormat } }) as { detail: string };
    expect(refused.detail.length).toBeLessThan(300);
  });

  test.each([
    '',
    'null',
    '17',
    '"start"',
    '[]',
    '{}',
    '{"event":7}',
    '{"event":null}',
    '{"event":"media"',
    'PING',
    '\u0000',
  ])('calls %j malformed', (text) => {
    expect(codec.decode(text)).toMatchObject({ type: 'malformed' });
  });

  test.each(['start', 'media', 'dtmf'])('calls %s without its object malformed', (event) => {
    for (const value of [undefined, null, 'x', 1, []]) {
      expect(decode({ event, [event]: value })).toMatchObject({ type: 'malformed' });
    }
  });

  test('never repeats a payload in the detail of a malformed message', () => {
    const message = codec.decode('{"event":"media","media":{"payload":"SECRETSPEECH"');
    expect(JSON.stringify(message)).not.toContain('SECRET');
  });
});

describe('encoding', () => {
  test('sends audio with its content type, its rate as a number and nothing else', () => {
    const bytes = Buffer.alloc(200, 7).subarray(20, 180); // a view: only its own bytes may be sent
    expect(JSON.parse(codec.encodeAudio(bytes))).toEqual({
      event: 'playAudio',
      media: { contentType: 'audio/x-mulaw', sampleRate: 8000, payload: Buffer.alloc(160, 7).toString('base64') },
    });
    const l16 = new PlivoCodec(streamId, { encoding: 'L16', sampleRate: 16000 });
    expect(JSON.parse(l16.encodeAudio(Uint8Array.of(1, 2)))).toEqual({
      event: 'playAudio',
      media: { contentType: 'audio/x-l16', sampleRate: 16000, payload: 'AQI=' },
    });
  });

  test('writes marks, clears and digits', () => {
    expect(JSON.parse(codec.encodeMark('a "quoted" name'))).toEqual({
      event: 'checkpoint',
      streamId,
      name: 'a "quoted" name',
    });
    expect(JSON.parse(codec.encodeClear())).toEqual({ event: 'clearAudio', streamId });
    expect(JSON.parse(codec.encodeDtmf('12#'))).toEqual({ event: 'sendDTMF', dtmf: '12#' });
  });

  test.each([
    ['0123456789*#ABCD', '0123456789*#ABCD'],
    ['a1bcd', 'A1BCD'],
    ['5', '5'],
    ['1'.repeat(64), '1'.repeat(64)],
  ])('presses %s', (digits, dtmf) => {
    expect(JSON.parse(codec.encodeDtmf(digits))).toEqual({ event: 'sendDTMF', dtmf });
  });

  test.each(['', ' ', '1 2', '1w2', 'E', 'é', '１', '+', '1\n', '1,2', '"', '1'.repeat(65), 'ß', 'ﬀ'])(
    'refuses to press %j',
    (digits) => {
      expect(() => codec.encodeDtmf(digits)).toThrow(expect.objectContaining({ code: 'VB_REQUEST_INVALID' }));
    },
  );

  test.each([
    { encoding: 'PCMA', sampleRate: 8000 } as const,
    { encoding: 'PCMU', sampleRate: 16000 } as const,
    { encoding: 'L16', sampleRate: 44100 } as const,
  ])('refuses to speak %j', (format) => {
    expect(() => new PlivoCodec(streamId, format)).toThrow(expect.objectContaining({ code: 'VB_AUDIO_INVALID' }));
  });
});

describe('damaged messages', () => {
  const isPlivoSensible = (message: StreamMessage) => isSensible(message, isPlivoIdentifier);

  test('never throw and always give a sensible message: 10,000 mutations of the recorded ones', () => {
    const corpus = recordedMessages('plivo/messages');
    const { seen, wrong } = decodeDamaged(codec, corpus, { count: 10_000, seed: 1, isCallId: isPlivoIdentifier });
    expect(wrong).toEqual([]);
    // The damage leaves every type reachable.
    const types = ['audio', 'cleared', 'dtmf', 'error', 'malformed', 'mark', 'start', 'stop', 'unknown', 'unsupported'];
    expect([...seen].sort()).toEqual(types);
  });

  test('never throw, whatever the text or the value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => isPlivoSensible(codec.decode(text))),
      { numRuns: 1_000 },
    );
    const event = fc.constantFrom('start', 'media', 'dtmf', 'playedStream', 'error', 'playFailed');
    fc.assert(
      fc.property(event, fc.jsonValue(), fc.jsonValue(), (name, inner, outer) =>
        isPlivoSensible(decode({ reason: outer, extra_headers: outer, name: outer, event: name, [name]: inner })),
      ),
      { numRuns: 1_000 },
    );
  });

  test('survive the deepest nesting a message can hold, wherever it sits', () => {
    const deep = '['.repeat(32_000) + ']'.repeat(32_000);
    expect(codec.decode('['.repeat(65_000))).toMatchObject({ type: 'malformed' });
    expect(codec.decode(deep)).toMatchObject({ type: 'malformed' });
    expect(codec.decode(`{"event":${deep}}`)).toMatchObject({ type: 'malformed' });
    expect(codec.decode(`{"event":"error","error":${deep}}`)).toMatchObject({ type: 'error' });
    const start = (more: string) => `{"event":"start","start":{"callId":"${callId}","streamId":"${streamId}",${more}}}`;
    expect(codec.decode(start(`"mediaFormat":${deep}`))).toMatchObject({ type: 'unsupported' });
    expect(codec.decode(start(`"mediaFormat":{"encoding":${deep}}`))).toMatchObject({ type: 'unsupported' });
    expect(codec.decode(start(`"extra_headers":${deep}`))).toMatchObject({ type: 'start' });
  });
});
