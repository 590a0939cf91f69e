import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callingRulesOf } from '../../src/assembly/create-runner.js';
import { readCallingRules } from '../../src/config/calling-rules-file.js';
import { resolveConfig } from '../../src/config/config.js';
import { hoursText } from '../../src/runner/dialing/calling-hours.js';
import { read } from '../project/repository.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-rules-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const fileOf = (content: unknown, name = 'rules.json') => {
  const path = join(directory, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const countries = ({ rules }: { rules: ReadonlyArray<{ country: string }> }) => rules.map(({ country }) => country);

test('each rule that comes with voicebot has hours, and a source with an https address and the day it was read', () => {
  const { rules, switchedOff, allOff } = readCallingRules();
  expect(countries({ rules })).toEqual(['US', 'CA', 'FR', 'ES', 'IT', 'AU', 'ZA']);
  expect([switchedOff, allOff]).toEqual([[], undefined]);
  for (const { source, times, note } of rules) {
    expect(source).toEqual(
      expect.objectContaining({ title: expect.stringMatching(/.{10}/), url: expect.stringMatching(/^https:/) }),
    );
    expect(source?.checked).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(times.hours.length).toBeGreaterThan(0);
    expect(note).toMatch(/\.$/);
  }
});

test('docs/law.md has a row for each of them, with its hours and its source', () => {
  const page = read('docs/law.md');
  for (const { country, times, source } of readCallingRules().rules) {
    const hours = times.hours.map(hoursText).join(', ');
    const [row = ''] = page.match(new RegExp(`^\\| ${country} \\| .*$`, 'm')) ?? [];
    expect(row).toContain(` | ${hours} | `);
    expect(row).toContain(`[${source?.title}](${source?.url})`);
  }
});

test('a file of the user adds rules, replaces them by country, and switches them off with a reason', () => {
  const path = fileOf(
    'rules:\n- country: fr\n  off: by consent\n- country: DE\n  hours: [mon-fri 9-18, sat 10-14:30]\n  closedOn: [2026-12-24, 12-25]\n- country: US\n  hours: [mon 9-17]\n',
    'r.yaml',
  );
  const table = readCallingRules(path);
  expect(countries(table)).toEqual(['CA', 'ES', 'IT', 'AU', 'ZA', 'DE', 'US']);
  expect(table.switchedOff).toEqual([{ country: 'FR', off: 'by consent' }]);
  expect(table.rules.at(-2)).toMatchObject({
    file: 'r.yaml',
    times: {
      hours: [
        { days: [1, 2, 3, 4, 5], from: 540, to: 1_080 },
        { days: [6], from: 600, to: 870 },
      ],
      closedOn: new Set(['2026-12-24', '12-25']),
    },
  });
  expect(table.rules.at(-1)).toMatchObject({ times: { hours: [{ days: [1] }] }, source: undefined });
});

test('off alone switches all of them off', () => {
  expect(readCallingRules(fileOf({ off: 'customers only' })).allOff).toBe('customers only');
});

test('all that is wrong with a file is told at once, with its place', () => {
  const path = fileOf({
    off: '',
    of: 1,
    rules: [
      { country: 'F', hours: ['mon-fri 19-18', 'sut 10-14', '9-18'], closedOn: ['2026-02-29'], publicHolidays: 'no' },
      { country: 'DE', off: 'x', hours: [] },
      { country: 'de', source: { url: 'http://x', checked: 'yesterday' } },
    ],
  });
  const told = [
    'rules[0].country must be a country code',
    'rules[0].hours[0] must begin before they end',
    'rules[0].hours[1] must be days such as mon-fri',
    'rules[0].hours[2] must be days and hours such as "mon-fri 9-18"',
    'rules[0].closedOn[0] must be a day',
    'rules[0].publicHolidays ',
    'rules[1].hours must not be empty',
    'rules[1] has hours, and off: one of both',
    'rules[2].source.title must be a text',
    'rules[2].source.url must be an https address',
    'rules[2].source.checked must be a day',
    'rules[2] has the country DE again',
    'rules[2] needs hours, or off with a reason',
    'off must not be empty',
    'off switches all rules off',
    '"of"',
  ];
  const read = () => readCallingRules(path);
  expect(read).toThrow(expect.objectContaining({ code: 'VB_CONFIG_INVALID' }));
  for (const problem of told) expect(read).toThrow(problem);
});

test.each([
  ['[1', 'is neither JSON nor YAML'],
  ['[]', 'expected object'],
  ['{}', 'it has neither rules nor off'],
])('%s is refused', (content, problem) => {
  expect(() => readCallingRules(fileOf(content))).toThrow(problem);
});

test('a file that is not there is refused', () => {
  expect(() => readCallingRules(join(directory, 'none.json'))).toThrow('there is no such file');
});

test('a path of the configuration starts at the working directory', async () => {
  const environment = { VOICEBOT_CALLING_RULES: 'rules/mine.yaml' };
  const { callingRules } = await resolveConfig({ flags: {}, environment, directory });
  expect(callingRules).toBe(join(directory, 'rules', 'mine.yaml'));
});

test('without a file the rules hold on an account, and none on the sandbox; with one they hold on both', () => {
  expect(countries(callingRulesOf({}, false))).toContain('FR');
  expect(countries(callingRulesOf({}, true))).toEqual([]);
  const file = fileOf({ rules: [{ country: 'DE', hours: ['mon-fri 9-18'] }] });
  for (const isSandbox of [true, false])
    expect(countries(callingRulesOf({ callingRules: file }, isSandbox))).toEqual(expect.arrayContaining(['FR', 'DE']));
});
