import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VENDORS } from '../../src/bot/services/vendor.js';
import { TEMPLATE_NAMES } from '../../src/cli/init/templates.js';
import { readScenarioFiles } from '../../src/lab/test/scenario-files.js';
import { usesOf } from '../../src/runner/bots/bot-uses.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

const MAX_LINES = 80;
const CONVERSATIONS = ['answer', 'dial', 'transfer'];

const folder = (...path: string[]) => join(PACKAGE_ROOT, 'templates', ...path);

test('every template is run by a test', () => {
  const bots = readdirSync(folder()).filter((name) => existsSync(folder(name, 'bot.ts')));
  expect(bots.sort()).toEqual([...CONVERSATIONS, 'demo', 'echo', 'hello'].sort());
});

/** All outcomes of a transfer, and what the law asks of a call. */
const MOST_SCENARIOS: Readonly<Record<string, number>> = { transfer: 8, dial: 5 };

test.each(TEMPLATE_NAMES)('%s starts with a few scenarios of its bot', async (name) => {
  const scenarios = await readScenarioFiles([], folder(name));
  expect(new Set(scenarios.map(({ bot }) => bot))).toEqual(new Set([folder(name, 'bot.ts')]));
  expect(scenarios.length).toBeGreaterThanOrEqual(2);
  expect(scenarios.length).toBeLessThanOrEqual(MOST_SCENARIOS[name] ?? 3);
});

describe.each(CONVERSATIONS)('%s', (name) => {
  const source = readFileSync(folder(name, 'bot.ts'), 'utf8');

  test('is short enough to be read at once', () => {
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  test('has an example of the keys that it needs', () => {
    const { providers } = usesOf({ file: folder(name, 'bot.ts') });
    expect(providers).toHaveLength(3);
    const example = readFileSync(folder(name, '.env.example'), 'utf8');
    for (const provider of providers) {
      const { keyVariable, keysUrl } = VENDORS[provider];
      expect(example).toMatch(new RegExp(`^# .+: ${keysUrl}\n${keyVariable}=$`, 'm'));
    }
  });
});
