import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { checkFailures } from '../../../src/lab/test/scenario-checks.js';
import { readScenarioFiles, type ScenarioParts } from '../../../src/lab/test/scenario-files.js';
import { ScenariosInvalid } from '../../../src/lab/test/scenarios-invalid.js';
import { TouchedScenarios } from '../../../src/lab/test/touched-scenarios.js';

let folder: string;
const path = (name: string) => join(folder, name);
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'voicebot-checks-')));
  writeFileSync(path('store.ts'), 'export const stored: string[] = [];\n');
  writeFileSync(
    path('checks.ts'),
    `import { stored } from './store.js';
export default () => {};
export const throws = ({ tools }: { tools: Array<{ name: string }> }) => {
  throw new Error(\`no booking
    of \${tools[0]?.name}, \${stored.length} stored\`);
};
export const tells = async ({ keys, environment }: { keys: string; environment: object }) =>
  \`\${keys} \${JSON.stringify(environment)}\`;
export const isFalse = () => false;
export const throwsAnything = () => {
  throw { a: 1 };
};
export const never = (_call: unknown, signal: AbortSignal) => new Promise(() => signal);
`,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const RECORD = { id: 'a', direction: 'inbound', to: '+12025550100', startedAt: 0, attempt: 1, state: 'ended' };
const EVENTS = [{ type: 'tool_called', name: 'book', input: { day: 'Sunday' }, call: '1', at: 5 }];
const STORY = {
  record: RECORD as unknown as CallRecord,
  events: EVENTS as unknown as TimelineEvent[],
  lengthMs: 10,
  receivedKeys: '12#',
};
const read = (yaml: string, parts?: ScenarioParts) => {
  writeFileSync(path('calls.yaml'), yaml);
  return readScenarioFiles(['calls.yaml'], folder, parts);
};
const failuresOf = async (yaml: string, limitMs?: number) => {
  const [scenario] = await read(yaml);
  if (!scenario) throw new Error('no scenario');
  return checkFailures(scenario, STORY, undefined, new AbortController().signal, limitMs);
};

test('a check that throws is a failure with its words and its line, one that gives a text with that text', async () => {
  const yaml = `name: books
environment: { STORE: orders }
expect: { check: [./checks.ts, ./checks.ts#throws, ./checks.ts#tells, ./checks.ts#isFalse] }
`;
  expect(await failuresOf(yaml)).toEqual([
    {
      field: 'check',
      expected: 'that ./checks.ts#throws finds nothing wrong',
      happened: `no booking of book, 0 stored, at ${path('checks.ts')}:4`,
    },
    { field: 'check', expected: 'that ./checks.ts#tells finds nothing wrong', happened: '12# {"STORE":"orders"}' },
    { field: 'check', expected: 'that ./checks.ts#isFalse finds nothing wrong', happened: 'it gave false' },
  ]);
});

test('one that does not end is given up', async () => {
  const [failure] = await failuresOf('name: books\nexpect: { check: ./checks.ts#never }\n', 20);
  expect(failure?.happened).toBe('it had not ended after 0.02 s');
});

test('of a call that was not made nothing is checked: another failure tells why', async () => {
  const [scenario] = await read('name: books\nexpect: { check: ./checks.ts#throws }\n');
  const story = { ...STORY, record: undefined };
  expect(await checkFailures(scenario as never, story, undefined, new AbortController().signal)).toEqual([]);
});

test('a scenario in TypeScript has functions', async () => {
  writeFileSync(
    path('books.scenario.mjs'),
    `export default { options: { name: 'books', expect: { check: function isBooked() {
      throw new Error('none'); } } }, line: 1, [Symbol.for('voicebot.scenario')]: true };`,
  );
  const [scenario] = await readScenarioFiles(['books.scenario.mjs'], folder);
  expect(await checkFailures(scenario as never, STORY, undefined, new AbortController().signal)).toEqual([
    {
      field: 'check',
      expected: 'that isBooked finds nothing wrong',
      happened: `none, at ${path('books.scenario.mjs')}:2`,
    },
  ]);
});

test('a check that is not there is refused before any call, with its line: all of them at once', async () => {
  writeFileSync(path('broken.ts'), 'export default (;\n');
  const yaml = `- name: one
  expect: { check: ./gone.ts }
- name: two
  expect:
    check:
      - ./checks.ts#throw
      - ./store.ts
      - ./broken.ts
- name: three
  then: { expect: { check: ./checks.ts#gone } }
- name: four
  expect: { check: booked }
`;
  const error = await read(yaml).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ScenariosInvalid);
  const { problems } = error as ScenariosInvalid;
  expect(problems.map(({ line, message }) => [line, message.replaceAll(folder, '')])).toEqual([
    [2, 'names /gone.ts, which is not there'],
    [12, 'must be a file with a function, such as ./booked.ts, or ./checks.ts#isBooked for one of several'],
    [6, 'names /checks.ts, which exports no function throw: did you mean throws?'],
    [7, 'names /store.ts, which exports no function as its default'],
    [8, expect.stringContaining('names /broken.ts, which cannot be loaded: ')],
    [10, expect.stringContaining('names /checks.ts, which exports no function gone')],
  ]);
});

test('a saved check, or what it imports, touches its scenarios', async () => {
  const parts: ScenarioParts = new Map();
  const [scenario] = await read('name: books\nbot: ./store.ts\nexpect: { check: ./checks.ts }\n', parts);
  const touched = new TouchedScenarios(['calls.yaml'], folder, path('bot.ts'));
  await touched.read(scenario ? [scenario] : [], parts);
  for (const name of ['checks.ts', 'store.ts'])
    expect(touched.isTouched(scenario as never, new Set([path(name)]))).toBe(true);
  writeFileSync(path('checks.ts'), 'export default () => "changed";\n');
  expect(touched.changed()).toEqual([path('checks.ts')]);
  expect(await failuresOf('name: books\nexpect: { check: ./checks.ts }\n')).toMatchObject([{ happened: 'changed' }]);
});

test('a check that throws no error is a failure with what it throws', async () => {
  const [failure] = await failuresOf('name: books\nexpect: { check: ./checks.ts#throwsAnything }\n');
  expect(failure?.happened).toBe('it threw {"a":1}');
});
