import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialOptions } from '../../../src/cli/dialout/dial-request.js';
import { parseDialRequest } from '../../../src/cli/dialout/dial-request.js';
import { UsageError } from '../../../src/terminal/typed-options.js';
import { DISGUISES } from '../../call/disguises.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-dial-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const parse = (options: Partial<DialOptions> = {}, number = '+15551234567', stdin?: string) =>
  parseDialRequest(number, options, directory, stdin);

/** What is wrong, line by line. */
function problems(options: Partial<DialOptions>, number?: string): string[] {
  try {
    parse(options, number);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message.split('\n');
  }
  return [];
}

test('without options: the number, nothing else', () => {
  expect(parse()).toEqual({
    to: '+15551234567',
    body: undefined,
    query: {},
    runner: { port: undefined, server: undefined },
    waits: false,
  });
});

test('takes a number as people write it, if its country is clear', () => {
  expect(parse({}, '+1 (555) 123-4567').to).toBe('+15551234567');
});

test.each([
  ['5551234567', 'must begin with "+" and the country code'],
  ['911', 'must begin with "+" and the country code'],
  ['sip:me@example.com', 'has "s" (U+0073) at character 1, which is no digit'],
  ['', 'is empty'],
  ['+1', 'has 1 digits after the "+": 7 to 15 are possible'],
  ['+0123456789', 'has a zero after the "+": no country code begins with 0'],
  ['++15551234567', 'has a second "+" at character 2: write one number'],
  ['+1555CALLNOW', 'has "C" (U+0043) at character 6, which is no digit'],
])('refuses the number %j and says why', (number, why) => {
  expect(problems({}, number)).toEqual([
    `number ${number}: must be a telephone number such as +14155550100: it ${why}`,
  ]);
});

test.each(DISGUISES)('a number with %s is dialled as that number', (_, write) => {
  expect(parse({}, write('+15551234567')).to).toBe('+15551234567');
});

describe('custom data', () => {
  test('is a JSON object, in the command line or in a file of the working directory', () => {
    const body = { user: { firstName: 'Ada' }, campaign: 'spring' };
    writeFileSync(join(directory, 'data.json'), JSON.stringify(body, null, 2));
    expect(parse({ body: JSON.stringify(body) }).body).toEqual(body);
    expect(parse({ body: '@data.json' }).body).toEqual(body);
    expect(parse({ body: `@${join(directory, 'data.json')}` }).body).toEqual(body);
    expect(parse({ body: '{}' }).body).toEqual({});
  });

  test('may come on standard input', () => {
    const body = { user: { firstName: 'Ada' } };
    expect(parse({ body: '@-' }, undefined, JSON.stringify(body)).body).toEqual(body);
    expect(() => parse({ body: '@-' }, undefined, '')).toThrow('--body @-: is not JSON (');
  });

  test.each(['[]', 'null', '1', '"text"'])('refuses %s', (body) => {
    expect(problems({ body })).toEqual([`--body ${body}: must be a JSON object, such as {"user":{"firstName":"Ada"}}`]);
  });

  test('refuses what is not JSON', () => {
    expect(problems({ body: "{user:'Ada'}" })[0]).toMatch(/^--body {user:'Ada'}: is not JSON \(/);
    writeFileSync(join(directory, 'data.json'), '');
    expect(problems({ body: '@data.json' })[0]).toMatch(/^--body @data.json: is not JSON \(/);
  });

  test('refuses a file it cannot read', () => {
    mkdirSync(join(directory, 'folder'));
    expect(problems({ body: '@nope.json' })).toEqual(['--body @nope.json: there is no such file']);
    expect(problems({ body: '@folder' })[0]).toMatch(/^--body @folder: cannot be read/);
  });

  test('has at most 8192 bytes as JSON, however it was written', () => {
    const body = { text: 'é'.repeat((8_192 - '{"text":""}'.length - 1) / 2) };
    const spaced = JSON.stringify(body, null, 100);
    expect(Buffer.byteLength(spaced)).toBeGreaterThan(8_192);
    expect(parse({ body: spaced }).body).toEqual(body);
    const [tooLarge = ''] = problems({ body: JSON.stringify({ text: `${body.text}éé` }) });
    expect(tooLarge).toContain('has 8195 bytes as JSON; at most 8192 are allowed');
    expect(tooLarge.length).toBeLessThan(200);
  });
});

describe('parameters', () => {
  test('are taken with everything after the first "="', () => {
    expect(parse({ query: ['campaign_id=7', 'note=a=b & c', 'empty='] }).query).toEqual({
      campaign_id: '7',
      note: 'a=b & c',
      empty: '',
    });
  });

  test.each(['campaign', '=7', 'Campaign=7', '7up=1', '__proto__=1', 'a-b=1', `${'a'.repeat(65)}=1`])(
    'refuses %s',
    (raw) => {
      expect(problems({ query: [raw] })[0]).toContain('must be name=value');
    },
  );

  test.each(['call_id', 'token', 'body', 'expires', 'signature'])('refuses %s, which our own addresses use', (name) => {
    expect(problems({ query: [`${name}=1`] })[0]).toContain(`${name} is a name that voicebot's own addresses use`);
  });

  test('refuses a name twice, too many, and values that are too long', () => {
    expect(problems({ query: ['a=1', 'a=2'] })).toEqual(['--query a=2: a is there more than once']);
    expect(problems({ query: [`a=${'x'.repeat(257)}`] })[0]).toContain('its value may have 256 characters');
    const many = Array.from({ length: 21 }, (_, i) => `p${i}=1`);
    expect(parse({ query: many.slice(1) }).query).toHaveProperty('p20');
    expect(problems({ query: many })).toEqual(['--query may be given at most 20 times']);
  });

  test('have 4096 characters in an address at most, all together', () => {
    const full = Array.from({ length: 15 }, (_, i) => `p${i % 10}${'abc'[Math.trunc(i / 10)]}=${'x'.repeat(256)}`);
    const used = full.join('&').length;
    const rest = (characters: number) => `q=${'x'.repeat(characters)}`;
    const room = 4_096 - used - '&q='.length;
    expect(room).toBeLessThan(256);
    expect(parse({ query: [...full, rest(room)] }).query).toHaveProperty('q');
    expect(problems({ query: [...full, rest(room + 1)] })).toEqual([
      '--query: together they have 4097 characters in an address; at most 4096 are allowed',
    ]);
    const wide = Array.from({ length: 3 }, (_, i) => `p${i}=${'é'.repeat(256)}`);
    expect(problems({ query: wide })[0]).toMatch(/^--query: together they have 46\d\d characters in an address/);
  });
});

describe('the runner', () => {
  test.each([
    ['https://bot.example.com', 'https://bot.example.com'],
    ['https://bot.example.com/', 'https://bot.example.com'],
    ['https://example.com/bots/one/', 'https://example.com/bots/one'],
    ['http://127.0.0.1:7860', 'http://127.0.0.1:7860'],
    ['http://localhost:7860/', 'http://localhost:7860'],
    ['http://[::1]:7860', 'http://[::1]:7860'],
  ])('may be at %s', (server, url) => {
    expect(parse({ server }).runner.server).toBe(url);
  });

  test.each([
    'http://bot.example.com',
    'http://localhost.example.com',
    'http://0.0.0.0:7860',
    'https://user:password@bot.example.com',
    'https://bot.example.com/?token=1',
    'https://bot.example.com/#x',
    'ftp://127.0.0.1',
    'bot.example.com',
  ])('may not be at %s', (server) => {
    expect(problems({ server })).toEqual([
      `--server ${server}: must be an https address (http on this machine only), such as https://bot.example.com`,
    ]);
  });

  test('is named by its port or by its address', () => {
    expect(parse({ port: '7861' }).runner).toEqual({ port: 7_861, server: undefined });
    expect(problems({ port: '0' })[0]).toContain('--port 0: must be a whole number from 1 to 65535');
    expect(problems({ port: '1', server: 'https://bot.example.com' })[0]).toContain('cannot be combined');
  });
});

test('names every problem at once', () => {
  expect(problems({ body: '[]', query: ['x'], port: 'a', server: 'b' }, 'c')).toHaveLength(6);
});
