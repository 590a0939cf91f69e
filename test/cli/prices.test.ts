import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePrices } from '../../src/runner/costs/prices.js';
import { FolderUnderTest, RECORD } from '../call/folder/folder-under-test.js';
import { TemporaryFolder } from '../call/folder/recorded-line.js';
import { command } from './in-process.js';

let home: TemporaryFolder;
beforeEach(() => {
  home = new TemporaryFolder();
});
afterEach(() => home[Symbol.dispose]());

const run = (args: readonly string[], environment: Record<string, string> = {}) =>
  command(args, home.path, { VOICEBOT_HOME: home.path, ...environment }).finished;
const path = () => join(home.path, 'voicebot.prices.json');
const writeFile = (content: object) => writeFileSync(path(), JSON.stringify(content));

const COST = {
  currency: 'USD',
  amount: '0.02',
  isComplete: false,
  parts: [
    { service: 'carrier', provider: 'plivo', direction: 'inbound', units: 61, unit: 'second', amount: '0.02' },
    { service: 'language_model', provider: 'OpenAI', model: 'gpt-5-mini', units: 900, unit: 'input_token' },
  ],
};

test('init writes an example for the services of a bot, and every amount says that it is one', async () => {
  const bot =
    "import { deepgram, cartesia } from 'voicebot';\nimport { openai } from '@ai-sdk/openai';\ndeepgram(); cartesia();";
  writeFileSync(join(home.path, 'bot.ts'), bot);
  const { exitCode, stderr } = await run(['prices', 'init', 'bot.ts', '--currency', 'EUR']);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('voicebot.prices.json')]);
  const content = JSON.parse(readFileSync(path(), 'utf8'));
  const { currency, items } = parsePrices(content, path());
  expect(currency).toBe('EUR');
  expect(new Set(items.map(({ provider }) => provider))).toEqual(new Set(['plivo', 'deepgram', 'cartesia', 'openai']));
  expect(content.items.every(({ source }: { source: string }) => source.startsWith('EXAMPLE'))).toBe(true);
  const again = await run(['prices', 'init', 'bot.ts', '--json']);
  expect([again.exitCode, again.events[0]]).toEqual([2, expect.objectContaining({ code: 'VB_FILE_EXISTS' })]);
});

test('check says that examples are no prices', async () => {
  await run(['prices', 'init']);
  const { exitCode, events } = await run(['prices', 'check', '--json']);
  expect(exitCode).toBe(3);
  expect(events[0]).toMatchObject({ event: 'prices_checked', calls: 0, missing: [] });
  expect(events[0]?.examples).toBe(events[0]?.items);
});

test('check says which parts of the last calls have no price, by the file as it is now', async () => {
  const folder = new FolderUnderTest(join(home.path, 'calls'));
  folder.write('call.json', JSON.stringify({ version: 1, ...RECORD, cost: COST }));
  const minutes = { provider: 'plivo', service: 'carrier', unit: 'minute', amount: '0.01', rounding: 60 };
  writeFile({ currency: 'USD', items: [minutes] });
  const lacking = await run(['prices', 'check']);
  expect([lacking.exitCode, lacking.stdout]).toEqual([3, '  OpenAI gpt-5-mini (input_token)\n']);
  const tokens = { provider: 'openai', service: 'language_model', unit: 'input_token', per: 1_000_000, amount: '1' };
  writeFile({ currency: 'USD', items: [minutes, tokens] });
  const whole = await run(['prices', 'check']);
  expect([whole.exitCode, whole.stderr]).toEqual([0, expect.stringContaining('everything has a price')]);

  const listed = await run(['calls']);
  expect(listed.stdout).toContain('COST');
  expect(listed.stdout).toContain('at least $0.02');
  const shown = await run(['calls', RECORD.id]);
  expect(shown.stdout).toContain('no price for OpenAI gpt-5-mini (input_token)');
});

test('check looks a transfer up by its destination, not by the number that was called', async () => {
  const parts = [
    { service: 'carrier', provider: 'plivo', direction: 'transfer', to: '+4915112345', units: 30, unit: 'second' },
  ];
  const folder = new FolderUnderTest(join(home.path, 'calls'));
  folder.write('call.json', JSON.stringify({ version: 1, ...RECORD, cost: { ...COST, parts } }));
  const minutes = { provider: 'plivo', service: 'carrier', unit: 'minute', amount: '0.01', rounding: 60 };
  writeFile({ currency: 'USD', items: [{ ...minutes, prefix: '+1' }] });
  const lacking = await run(['prices', 'check']);
  expect([lacking.exitCode, lacking.stdout]).toEqual([3, '  plivo carrier transfer (second)\n']);
  writeFile({ currency: 'USD', items: [{ ...minutes, prefix: '+49' }] });
  expect((await run(['prices', 'check'])).exitCode).toBe(0);
});

test('init writes to the file that the setting names, and check reads it', async () => {
  const environment = { VOICEBOT_PRICES: 'prices/mine.json' };
  expect((await run(['prices', 'check'], environment)).exitCode).toBe(3);
  expect((await run(['prices', 'init'], environment)).exitCode).toBe(0);
  expect([existsSync(join(home.path, 'prices', 'mine.json')), existsSync(path())]).toEqual([true, false]);
  const { events } = await run(['prices', 'check', '--json'], environment);
  expect(events[0]).toMatchObject({ event: 'prices_checked', file: join(home.path, 'prices', 'mine.json') });
  expect((await run(['prices', 'init'], environment)).exitCode).toBe(2);
});

test('init names what a cache costs to be written where the vendor tells it', async () => {
  writeFileSync(join(home.path, 'bot.ts'), "import { anthropic } from '@ai-sdk/anthropic';");
  await run(['prices', 'init', 'bot.ts']);
  const { items } = JSON.parse(readFileSync(path(), 'utf8'));
  expect(items).toContainEqual(expect.objectContaining({ provider: 'Anthropic', unit: 'cache_write_token' }));
});

test('a cost in a folder that is damaged is left out', async () => {
  const folder = new FolderUnderTest(join(home.path, 'calls'));
  folder.write('call.json', JSON.stringify({ version: 1, ...RECORD, cost: { ...COST, amount: '-1' } }));
  const { stdout } = await run(['calls']);
  expect(stdout).not.toContain('COST');
});

test('what cannot be meant is refused, and nothing is written', async () => {
  for (const args of [['init', '--currency', 'euro'], ['check', 'bot.ts'], ['check', '--currency', 'EUR'], ['other']]) {
    expect((await run(['prices', ...args])).exitCode).toBe(2);
  }
  const missing = await run(['prices', 'check', '--json']);
  expect([missing.exitCode, missing.events[0]]).toEqual([3, expect.objectContaining({ code: 'VB_PRICES_INVALID' })]);
  expect((await run(['prices', 'init', 'missing.ts'])).exitCode).toBe(7);
  expect(existsSync(path())).toBe(false);
});

test('a file that is named and not there, or damaged, is refused with all of its problems', async () => {
  writeFileSync(join(home.path, 'mine.json'), '{"currency":"x","items":[{}]}');
  const { exitCode, stderr } = await run(['prices', 'check'], { VOICEBOT_PRICES: 'mine.json' });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('mine.json: currency must be a currency');
  expect(stderr).toContain('mine.json: items[0].provider');
  expect((await run(['prices', 'check'], { VOICEBOT_PRICES: 'none.json' })).exitCode).toBe(3);
});
