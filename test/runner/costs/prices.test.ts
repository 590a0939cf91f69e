import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExample, parsePrices, readPrices } from '../../../src/runner/costs/prices.js';

const PATH = '/project/voicebot.prices.json';
const minute = { provider: 'Twilio', service: 'carrier', unit: 'minute', amount: '0.014', rounding: 60 };
const messageOf = (content: unknown): string => {
  try {
    parsePrices(content, PATH);
  } catch (error) {
    expect(error).toMatchObject({ code: 'VB_PRICES_INVALID' });
    return (error as Error).message;
  }
  throw new Error('it was taken');
};

test('a minute is sixty seconds, and a price may be written as a number', () => {
  const tokens = { provider: 'OpenAI', service: 'language_model', unit: 'input_token', per: 1_000_000, amount: 0.4 };
  expect(parsePrices({ currency: 'EUR', items: [minute, tokens] }, PATH)).toMatchObject({
    currency: 'EUR',
    items: [
      { provider: 'twilio', unit: 'second', per: 60, price: 14_000_000_000n, rounding: 60 },
      { provider: 'openai', unit: 'input_token', per: 1_000_000, price: 400_000_000_000n },
    ],
  });
});

test('all problems are told at once, each with its place', () => {
  const message = messageOf({
    currency: 'euro',
    items: [
      { ...minute, amount: '-1' },
      { ...minute, rounding: undefined },
      { ...minute, unit: 'character' },
      { ...minute, prefix: '49' },
      { ...minute, model: 'nova' },
      { provider: 'x', service: 'text_to_speech', unit: 'character', amount: '1', rounding: 60, direction: 'inbound' },
      { ...minute, amuont: '1' },
      { provider: 'x', service: 'language_model', model: 'gpt-*-mini', unit: 'input_token', amount: '1' },
    ],
    price: 1,
  });
  for (const place of [
    'currency must be a currency of ISO 4217',
    'items[0].amount must be a decimal number',
    'items[1].rounding is missing',
    'items[2].unit must be minute or second',
    'items[3].prefix must be the beginning of a number',
    'items[4].model is not for carrier',
    'items[5].rounding is not for character',
    'items[5].direction is not for text_to_speech',
    'items[6] Unrecognized key',
    'items[7].model may have a "*" at its end only',
    'Unrecognized key: "price"',
  ]) {
    expect(message).toContain(place);
  }
  expect(message.split('\n').every((line) => line.includes(PATH))).toBe(true);
});

test('the same is not priced twice', () => {
  expect(messageOf({ currency: 'USD', items: [minute, { ...minute, provider: 'twilio', amount: '9' }] })).toContain(
    'items[1] says again what items[0] is about',
  );
});

test('a file that is no JSON, or is not there, is refused by its name', () => {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-prices-'));
  try {
    const path = join(directory, 'voicebot.prices.json');
    expect(() => readPrices(path)).toThrow(expect.objectContaining({ code: 'VB_PRICES_INVALID' }));
    writeFileSync(path, '{ "currency": ');
    expect(() => readPrices(path)).toThrow(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a file as Windows writes it is read: with a byte order mark, or in UTF-16', () => {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-prices-'));
  try {
    const path = join(directory, 'voicebot.prices.json');
    const content = `\ufeff${JSON.stringify({ currency: 'EUR', items: [minute] })}`;
    for (const encoding of ['utf8', 'utf16le'] as const) {
      writeFileSync(path, content, encoding);
      expect(readPrices(path)).toMatchObject({ currency: 'EUR', items: [{ provider: 'twilio' }] });
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('the example of the page is taken, says of each price that it is none, and prices answers whole', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/costs.md', import.meta.url)), 'utf8');
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const { items } = parsePrices(JSON.parse(example), PATH);
  expect(items.every(isExample)).toBe(true);
  expect(items.map(({ unit }) => unit)).toEqual(expect.arrayContaining(['input_token', 'output_token']));
});
