import fc from 'fast-check';
import { VoicebotError } from '../../../src/base/errors.js';
import { MAX_BODY_BYTES, MAX_START_BYTES, parseStartRequest } from '../../../src/runner/dialing/start-request.js';

const parse = (text: string) => parseStartRequest(Buffer.from(text));

test('reads the number and the custom data as they are', () => {
  const body = { user: { firstName: 'Ada', tags: [1, null, 'x', true] }, ключ: '値' };
  expect(parse(JSON.stringify({ phone_number: '+15551234567', body }))).toEqual({ phoneNumber: '+15551234567', body });
});

test('custom data that is missing is an empty object', () => {
  expect(parse('{"phone_number":"+15551234567"}')).toEqual({ phoneNumber: '+15551234567', body: {} });
});

test.each(['+1 (555) 123-4567', ' +1.555.123.4567 ', '+15551234567'])('reads %j as people write it', (number) => {
  expect(parse(JSON.stringify({ phone_number: number })).phoneNumber).toBe('+15551234567');
});

test.each(['15551234567', '(555) 123-4567', '00 1 555 123 4567', '++15551234567'])(
  'leaves %j as it is: its country is not clear',
  (number) => {
    expect(parse(JSON.stringify({ phone_number: number })).phoneNumber).toBe(number);
  },
);

test('leaves the checking of the number to whoever dials', () => {
  expect(parse('{"phone_number":"operator"}').phoneNumber).toBe('operator');
});

test.each([
  ['{}', ['phone_number is missing']],
  ['{"phone_number":15551234567}', ['phone_number must be a string']],
  ['{"phone_number":null}', ['phone_number must be a string']],
  ['{"phone_number":["+1"]}', ['phone_number must be a string']],
  ['{"phone_number":"+1","body":[]}', ['body must be a JSON object']],
  ['{"phone_number":"+1","body":null}', ['body must be a JSON object']],
  ['{"phone_number":"+1","body":"text"}', ['body must be a JSON object']],
  ['{"phone_number":"+1","body":7}', ['body must be a JSON object']],
  ['{"phone_number":"+1","to":"+1"}', ['"to" not known']],
  ['{"phone_number":"+1","__proto__":{"body":{}}}', ['"__proto__" not known']],
  ['{"body":[],"to":1,"from":2}', ['phone_number is missing', 'body must be', '"to", "from" not known']],
  ['[]', ['must be a JSON object']],
  ['null', ['must be a JSON object']],
  ['"+15551234567"', ['must be a JSON object']],
  ['', ['not JSON']],
  ['{', ['not JSON']],
  ['phone_number=%2B15551234567', ['not JSON']],
])('refuses %s and says all that is wrong', (text, problems) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'VB_REQUEST_INVALID' }));
  for (const problem of problems) expect(() => parse(text)).toThrow(problem);
});

test('refuses bytes that are not UTF-8', () => {
  const raw = Buffer.from([...Buffer.from('{"phone_number":"'), 0xff, ...Buffer.from('"}')]);
  expect(() => parseStartRequest(raw)).toThrow('UTF-8');
});

test('members named __proto__ change nothing at any depth', () => {
  const { body } = parse(
    '{"phone_number":"+1","body":{"__proto__":{"isAdmin":true},"deep":{"__proto__":{"isAdmin":true},"kept":1}}}',
  );
  expect(body).toEqual({ deep: { kept: 1 } });
  expect(Object.hasOwn(body, '__proto__')).toBe(false);
  expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

describe('sizes', () => {
  const request = (length: number, character: string) =>
    JSON.stringify({ phone_number: '+1', body: { a: character.repeat(length) } });
  const overhead = '{"a":""}'.length;

  test('custom data of exactly the limit is taken, one byte more is not', () => {
    expect(() => parse(request(MAX_BODY_BYTES - overhead, 'x'))).not.toThrow();
    expect(() => parse(request(MAX_BODY_BYTES - overhead + 1, 'x'))).toThrow(
      expect.objectContaining({ code: 'VB_BODY_TOO_LARGE', message: expect.stringContaining('8192') }),
    );
  });

  test('counts bytes of UTF-8 and not characters', () => {
    const euros = Math.floor((MAX_BODY_BYTES - overhead) / 3);
    expect(() => parse(request(euros, '€'))).not.toThrow();
    expect(() => parse(request(euros + 1, '€'))).toThrow(expect.objectContaining({ code: 'VB_BODY_TOO_LARGE' }));
  });

  test('blanks between the members do not count', () => {
    expect(parse(`{"phone_number":"+1","body":{${' '.repeat(100_000)}}}`).body).toEqual({});
  });

  test('names the limit of the whole request', () => {
    expect(() => parseStartRequest(Buffer.alloc(MAX_START_BYTES + 1, ' '))).toThrow(
      expect.objectContaining({ code: 'VB_BODY_TOO_LARGE', message: expect.stringContaining(String(MAX_START_BYTES)) }),
    );
  });

  test.each(['[', '{"a":'])('nesting of %j without end is a refusal and not a crash', (open) => {
    const close = open === '[' ? ']' : '}';
    for (const depth of [1_000, 4_000, 100_000]) {
      const inner = `${open.repeat(depth)}1${close.repeat(depth)}`;
      if (inner.length > MAX_START_BYTES - 100) continue;
      try {
        parse(`{"phone_number":"+1","body":{"a":${inner}}}`);
      } catch (error) {
        expect(error).toBeInstanceOf(VoicebotError);
      }
    }
  });
});

test('any JSON either parses to what was sent or is refused', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const isObject = json.startsWith('{');
      const text = `{"phone_number":"+1","body":${json}}`;
      if (!isObject) expect(() => parse(text)).toThrow(VoicebotError);
      else expect(JSON.stringify(parse(text).body)).toBe(JSON.stringify(withoutProto(JSON.parse(json))));
    }),
  );
});

test('any bytes either parse or are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(() => parseStartRequest(Buffer.from(bytes))).toThrow(VoicebotError);
    }),
  );
});

function withoutProto(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProto);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, inner]) => [key, withoutProto(inner)]),
  );
}
