import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readYamlScenarios } from '../../../src/lab/scenario/yaml-scenarios.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-scenarios-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = () => join(folder, 'a.yaml');
function read(text: string) {
  writeFileSync(fileOf(), text);
  return readYamlScenarios(fileOf());
}

/** `line field message` of each problem. */
async function problemsOf(text: string): Promise<string[]> {
  const { problems } = await read(text);
  return problems.map(({ line, field, message }) => `${line} ${field} ${message}`);
}

test('a file has one scenario', async () => {
  const { scenarios, problems } = await read('# comment\n\nname: one\ncaller:\n  - say: Hello\n');
  expect(problems).toEqual([]);
  expect(scenarios).toMatchObject([
    { name: 'one', file: fileOf(), line: 3, caller: [{ kind: 'say', words: 'Hello' }], limit: 60_000, runs: 1 },
  ]);
});

test('a list of them', async () => {
  const { scenarios } = await read('- name: one\n\n- name: two\n  runs: 3\n');
  expect(scenarios).toMatchObject([
    { name: 'one', line: 1 },
    { name: 'two', line: 3, runs: 3 },
  ]);
});

test('or a list beside fields that hold for all of them, each of which a scenario may say for itself', async () => {
  const { scenarios } = await read(
    'carrier: telnyx\nexpect: { end: bot_ended }\nscenarios:\n  - name: one\n  - name: two\n    carrier: plivo\n',
  );
  expect(scenarios).toMatchObject([
    { name: 'one', line: 4, carrier: 'telnyx', expect: { end: ['bot_ended'] } },
    { name: 'two', line: 5, carrier: 'plivo', expect: { end: ['bot_ended'] } },
  ]);
});

test('every problem has the line of its field, all of them at once, beside the scenarios that are good', async () => {
  const text = `
- name: bad
  network:
    loss: 5
    jitter: 1s
  caller:
    - say: Hello
    - press: 12
    - repeat:
        - { say: x, press: "1" }
        - wait: 5 seconds
      times: 0
    - hear: >
        /(/
  expectt: {}
- name: good
- runs: 0
  expect: { heard: "", tools: [{ nam: x }] }
`;
  expect(await problemsOf(text)).toEqual([
    '4 network.loss must be a percentage from 0% to 100%, such as 5%',
    '5 network.jitter must be at most 200ms',
    '8 caller[1].press must be keys in quotes, such as "1 w2 #"',
    '10 caller[2].repeat[0] a step has exactly one of the fields say, play, press, hangUp, wait, hear, repeat, either',
    '11 caller[2].repeat[1].wait must be a time with its unit, such as 2s or 300ms',
    '12 caller[2].times must be a whole number from 1 to 1000',
    expect.stringMatching(/^13 caller\[3\]\.hear is no regular expression: /),
    '15 expectt is not known: did you mean expect?',
    '17 name is missing',
    '17 runs must be a whole number from 1 to 1000',
    '18 expect.heard must have a letter or a digit in it',
    '18 expect.tools[0].name is missing',
    '18 expect.tools[0].nam is not known',
  ]);
});

test('a problem of a shared field is told once, at its own line', async () => {
  expect(await problemsOf('from: x\nscenarios:\n  - name: one\n  - name: two\n  - name: three\n    from: y\n')).toEqual(
    [
      '1 from must be a telephone number such as +12025550101: it has "x" (U+0078) at character 1, which is no digit',
      '6 from must be a telephone number such as +12025550101: it has "y" (U+0079) at character 1, which is no digit',
    ],
  );
});

test.each([
  ['name: a\nname: b\n', ['2  Map keys must be unique']],
  ['name: [a\ncaller: 1\n', [expect.stringMatching(/^2 {2}/)]],
  ['name: a\n---\nname: b\n', [expect.stringMatching(/^2 {2}.*multiple documents/)]],
  ['just words\n', ['1  must be fields with their values']],
  ['- name: a\n- 5\n', ['2  must be fields with their values']],
  ['', ['1  has no scenarios']],
  ['# nothing yet\n', ['1  has no scenarios']],
  ['scenarios: []\n', ['1  has no scenarios']],
])('a file that is no list of scenarios: %j', async (text, problems) => {
  expect(await problemsOf(text)).toEqual(problems);
});

test('anchors stand for what they name', async () => {
  const { scenarios } = await read('- &a\n  name: one\n  runs: 2\n- *a\n- <<: *a\n  name: three\n');
  expect(scenarios).toMatchObject([
    { name: 'one', runs: 2 },
    { name: 'one', runs: 2, line: 4 },
    { name: 'three', runs: 2, line: 5 },
  ]);
});

test('an alias without its anchor is a problem of the file', async () => {
  const { scenarios, problems } = await read('name: *nope\n');
  expect(scenarios).toEqual([]);
  expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining('nope') }]);
});

test('a file that cannot be read is a problem without a line', async () => {
  const file = join(folder, 'missing.yaml');
  expect(await readYamlScenarios(file)).toEqual({
    scenarios: [],
    problems: [{ file, line: undefined, field: '', message: expect.stringContaining('ENOENT') }],
  });
});
