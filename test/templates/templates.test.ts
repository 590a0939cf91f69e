import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVIDERS } from '../../src/services/provider.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

const MAX_LINES = 80;
const CONVERSATIONS = ['carrier-dialin', 'carrier-dialout', 'rooms-dialin', 'rooms-dialout', 'cold-transfer'];

const folder = (...path: string[]) => join(PACKAGE_ROOT, 'templates', ...path);

test('every template is run by a test', () => {
  const bots = readdirSync(folder()).filter((name) => existsSync(folder(name, 'bot.ts')));
  expect(bots.sort()).toEqual([...CONVERSATIONS, 'demo', 'echo'].sort());
});

describe.each(CONVERSATIONS)('%s', (name) => {
  const source = readFileSync(folder(name, 'bot.ts'), 'utf8');

  test('is short enough to be read at once', () => {
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  test('names the keys it needs under its own name, and has an example of them', () => {
    const required = /vb\.requireKeys\('([^']+)', \[([^\]]+)\]\)/.exec(source);
    expect(required?.[1]).toBe(name);
    const example = readFileSync(folder(name, '.env.example'), 'utf8');
    for (const provider of required?.[2]?.replaceAll("'", '').split(', ') ?? []) {
      const { keyVariable, keysUrl } = PROVIDERS[provider as keyof typeof PROVIDERS];
      expect(example).toMatch(new RegExp(`^# .+: ${keysUrl}\n${keyVariable}=$`, 'm'));
    }
  });
});
