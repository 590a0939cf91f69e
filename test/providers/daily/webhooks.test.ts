import { parseDailyWebhook } from '../../../src/providers/daily/webhooks.js';

const callId = '11111111-1111-4111-8111-111111111111';
const callDomain = '22222222-2222-4222-8222-222222222222';
const call = { To: '+15550100002', From: '+15550100001', callId, callDomain };

const parse = (value: unknown) => parseDailyWebhook(Buffer.from(JSON.stringify(value)));

describe('a call', () => {
  test('is read as it came', () => {
    expect(parse({ ...call, sipHeaders: { 'X-My-Header': 'value', 'x-caller': '+1555' }, more: [1] })).toEqual({
      kind: 'call',
      providerCallId: callId,
      callDomain,
      from: '+15550100001',
      to: '+15550100002',
      sipHeaders: { 'X-My-Header': 'value', 'x-caller': '+1555' },
    });
  });

  test('needs no headers, and no numbers where a SIP address was called', () => {
    expect(parse({ callId, callDomain })).toEqual({
      kind: 'call',
      providerCallId: callId,
      callDomain,
      from: undefined,
      to: '',
      sipHeaders: undefined,
    });
    expect(parse({ ...call, From: 'sip:ana@example.org' })).toMatchObject({ from: 'sip:ana@example.org' });
  });

  test.each([17, null, ['+1555'], { number: 1 }, 'x'.repeat(257), 'a\r\nb', ''])(
    'is there even when the number of its caller is %j',
    (From) => {
      expect(parse({ ...call, From })).toMatchObject({ kind: 'call', providerCallId: callId, from: undefined });
    },
  );

  test.each([
    ['lower case', { to: call.To, from: call.From, callId, callDomain }],
    ['snake case', { to: call.To, from: call.From, call_id: callId, call_domain: callDomain }],
    ['both spellings of its numbers, the other one empty', { ...call, from: undefined, to: null }],
    ['both spellings of its numbers, of which its own one counts', { ...call, from: '+15550100009', call_id: 'x' }],
    [
      'empty fields of its own spelling',
      {
        To: '',
        From: null,
        callId: '',
        callDomain: null,
        to: call.To,
        from: call.From,
        call_id: callId,
        call_domain: callDomain,
      },
    ],
    ['numbers that are JSON numbers', { To: 15550100002, from: 15550100001, callId, callDomain }],
  ])('is the same in %s', (_title, fields) => {
    expect(parse({ ...fields, sip_headers: { 'X-A': 'b' } })).toEqual({
      kind: 'call',
      providerCallId: callId,
      callDomain,
      from: call.From,
      to: call.To,
      sipHeaders: { 'X-A': 'b' },
    });
  });

  test.each([2025550142, -12025550142, 1202555.5, 1e15, 1e21, true])(
    'has no caller where a JSON number may lack its country, or is none: %j',
    (From) => {
      expect(parse({ ...call, From })).toMatchObject({ kind: 'call', from: undefined });
    },
  );

  test('has numbers without marks that turn the reading direction', () => {
    expect(parse({ ...call, From: '\u202e+1555', To: '\u200e+1556' })).toMatchObject({ from: '+1555', to: '+1556' });
  });

  test('may have any identifiers of up to 256 characters', () => {
    const ids = { callId: 'ü'.repeat(256), callDomain: ' /?#%' };
    expect(parse({ ...call, ...ids })).toMatchObject({
      kind: 'call',
      providerCallId: ids.callId,
      callDomain: ids.callDomain,
    });
  });

  test.each(['text', null, 17, ['X-A: b']])('has no headers when they are %j', (sipHeaders) => {
    expect(parse({ ...call, sipHeaders })).toMatchObject({ kind: 'call', sipHeaders: undefined });
  });

  test('has only the headers that are text', () => {
    const sipHeaders = { 'X-A': 'b', 'X-B': 1, 'X-C': null, 'X-D': ['a'], 'X-E': { a: 1 }, 'X-F': '' };
    expect(parse({ ...call, sipHeaders })).toMatchObject({ sipHeaders: { 'X-A': 'b', 'X-F': '' } });
  });

  test('has at most 64 headers, of 8192 characters together', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`X-${at}`, 'v']));
    const kept = parse({ ...call, sipHeaders: many });
    expect(Object.keys((kept.kind === 'call' && kept.sipHeaders) || {})).toHaveLength(64);
    const long = { 'X-A': 'a'.repeat(4_000), 'X-B': 'b'.repeat(4_000), 'X-C': 'c'.repeat(4_000), 'X-D': 'd' };
    const short = parse({ ...call, sipHeaders: long });
    expect(Object.keys((short.kind === 'call' && short.sipHeaders) || {})).toEqual(['X-A', 'X-B']);
  });

  test('cannot reach the prototype of its headers', () => {
    const body = JSON.stringify(call).replace('}', ',"sipHeaders":{"__proto__":"x","X-A":"b"}}');
    const parsed = parseDailyWebhook(Buffer.from(body));
    const headers = parsed.kind === 'call' ? parsed.sipHeaders : undefined;
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
    expect(headers?.['X-A']).toBe('b');
  });
});

describe('a test', () => {
  test.each([
    [{ test: true }],
    [{ Test: 'test' }],
    [{ test: 'test', To: '+15550100002' }],
    [{ Test: 'test', ...call }],
    [{ To: '+15550100002' }],
    [{ to: '+15550100002' }],
    [{ test: 'test' }],
    [{ test: 1, callId: 17 }],
  ])('is %j', (body) => {
    expect(parse(body)).toEqual({ kind: 'test' });
  });
});

describe('neither', () => {
  test.each([
    [{}, 'missing callId and callDomain'],
    [{ From: '+1' }, 'missing callId and callDomain'],
    [{ From: '+1', To: '+2' }, 'missing callId and callDomain'],
    [{ To: '+2', sipHeaders: {} }, 'missing callId and callDomain'],
    [{ test: false, Test: '', To: '+2' }, 'missing callId and callDomain'],
    [{ ...call, callId: undefined }, 'missing callId'],
    [{ ...call, callId: null }, 'missing callId'],
    [{ ...call, callDomain: '' }, 'missing callDomain'],
    [{ callDomain }, 'missing callId'],
    [{ callId }, 'missing callDomain'],
  ])('is %j, and what is missing is named', (body, problem) => {
    expect(parse(body)).toEqual({ kind: 'invalid', problem });
  });

  test.each([17, true, ['a'], { id: 1 }, 'x'.repeat(257), 'a\nb', 'a\u0000', '\u0085'])(
    'is a call whose identifier is %j',
    (id) => {
      expect(parse({ ...call, callId: id })).toMatchObject({
        kind: 'invalid',
        problem: expect.stringMatching(/^callId must be/),
      });
      expect(parse({ ...call, callDomain: id })).toMatchObject({
        kind: 'invalid',
        problem: expect.stringMatching(/^callDomain must be/),
      });
    },
  );

  test.each([[[]], [[call]], ['text'], [17], [null], [true]])('is %j', (body) => {
    expect(parse(body)).toEqual({ kind: 'invalid', problem: 'the body is not a JSON object' });
  });

  test.each(['', '{', 'callId=1&callDomain=2', '{"callId":"1"}}', "{'a':1}"])('is %j, which is no JSON', (text) => {
    expect(() => parseDailyWebhook(Buffer.from(text))).toThrow(SyntaxError);
  });
});
