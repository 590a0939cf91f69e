// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the places of a table look like those of a template
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeScenarios, withoutPlaces } from '../../../src/lab/scenario/scenario-table.js';
import { readYamlScenarios } from '../../../src/lab/scenario/yaml-scenarios.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-tables-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const file = join(folder, 'a.yaml');
  writeFileSync(file, text);
  return readYamlScenarios(file);
}

/** `line field message` of each problem. */
const problemsOf = async (text: string) =>
  (await read(text)).problems.map(({ line, field, message }) => `${line} ${field} ${message}`);

test('a scenario is made once for each row, with the values of the row in its texts at any depth', async () => {
  const { scenarios, problems } = await read(`
name: a wrong PIN
each:
  - { pin: "1111", says: wrong, times: 2, tool: check_pin, ends: true }
  - { pin: "2222", says: blocked, times: 3, tool: check_card, ends: false }
environment: { BANK_PIN: "\${pin}", BANK_TEXT: "it is \${says}, \${pin}" }
caller:
  - repeat: [{ press: "\${pin}" }]
    times: \${times}
model:
  - { when: "/\${says}|\\\\d{4}/", call: { "\${tool}": { pins: ["\${pin}"], times: "\${times}" } } }
expect: { heard: "\${says}", nothingTwice: "\${ends}" }
`);
  expect(problems).toEqual([]);
  expect(scenarios).toMatchObject([
    {
      name: 'a wrong PIN (pin 1111, says wrong, times 2, tool check_pin, ends true)',
      line: 2,
      environment: { BANK_PIN: '1111', BANK_TEXT: 'it is wrong, 1111' },
      caller: [{ kind: 'repeat', times: 2, steps: [{ kind: 'press', keys: { length: 4 } }] }],
      model: [{ call: { check_pin: { pins: ['1111'], times: 2 } } }],
      expect: { nothingTwice: true },
    },
    {
      environment: { BANK_PIN: '2222', BANK_TEXT: 'it is blocked, 2222' },
      caller: [{ times: 3 }],
      model: [{ call: { check_card: { pins: ['2222'], times: 3 } } }],
      expect: { nothingTwice: false },
    },
  ]);
  expect(scenarios.map(({ expect }) => String(expect.heard[0]))).toEqual(['"wrong"', '"blocked"']);
});

test('a name with a value in it stays as it is written, and a number in it is a text', async () => {
  const { scenarios } = await read(
    '- name: ${n} rings\n  each: [{ n: 1 }, { n: 2 }]\n- name: ${n}\n  each: [{ n: 3 }]\n',
  );
  expect(scenarios.map(({ name }) => name)).toEqual(['1 rings', '2 rings', '3']);
});

test('$${ is ${ itself, with a table and without, and braces of another kind are left alone', async () => {
  const { scenarios, problems } = await read(`
- name: price
  each: [{ sum: "5" }]
  model: [{ say: "$\${sum} is \${sum}, $$, {sum}, {{sum}}, \${" }]
- name: without
  model: [{ say: "$\${sum}" }]
`);
  expect(problems).toEqual([]);
  expect(scenarios).toMatchObject([
    { model: [{ say: '${sum} is 5, $$, {sum}, {{sum}}, ${' }] },
    { model: [{ say: '${sum}' }] },
  ]);
});

test('what is written with withoutPlaces is read as it was', () => {
  const given = { name: 'a', model: [{ say: 'a ${b} $${c} $', call: { '${f}': { x: ['${y}'], at: 2 } } }] };
  expect(placeScenarios(withoutPlaces(given), '/a.yaml', () => 1)).toMatchObject({
    problems: [],
    scenarios: [{ model: [{ ...given.model[0] }] }],
  });
});

test('a table at the top of a file is that of each of its scenarios', async () => {
  const { scenarios } = await read(
    'each: [{ pin: "1" }, { pin: "2" }]\nscenarios:\n  - name: one\n    caller: [{ press: "${pin}" }]\n  - name: two ${pin}\n',
  );
  expect(scenarios.map(({ name, line }) => [name, line])).toEqual([
    ['one (pin 1)', 3],
    ['one (pin 2)', 3],
    ['two 1', 5],
    ['two 2', 5],
  ]);
});

test('what is wrong in a table at the top of a file is told at its row, once', async () => {
  const text = `each:
  - { pin: "1" }
  - { pin: z }
scenarios:
  - { name: one, caller: [{ press: "\${pin}" }] }
  - { name: two, caller: [{ press: "\${pin}" }] }
  - { name: three }
`;
  expect(await problemsOf(text)).toEqual([
    '2 each[0].pin is used nowhere in "three": ${pin} stands in none of its texts',
    expect.stringMatching(/^3 caller\[0\]\.press .*\(pin of row 2\)$/),
  ]);
});

test('functions and regular expressions of TypeScript are left as they are', () => {
  const model = () => undefined;
  const { scenarios, problems } = placeScenarios(
    { name: 'a', each: [{ n: 1 }], model, caller: [{ hear: /\$\{n\}/ }], runs: '${n}' },
    '/a.scenario.ts',
    () => 3,
  );
  expect(problems).toEqual([]);
  expect(scenarios).toMatchObject([{ name: 'a (n 1)', runs: 1, model, line: 3 }]);
});

test('a problem of a value is told at its row, any other at its field and once', async () => {
  expect(
    await problemsOf(`
name: a
each:
  - { pin: "12", words: hello }
  - { pin: "1x", words: "..." }
caller:
  - press: "\${pin}"
  - wait: 5
expect:
  heard: ["\${words}"]
`),
  ).toEqual([
    expect.stringMatching(/^5 caller\[0\]\.press .*\(pin of row 2\)$/),
    '5 expect.heard[0] must have a letter or a digit in it (words of row 2)',
    '8 caller[1].wait must be a time with its unit, such as 2s or 300ms',
  ]);
});

test.each([
  [
    'name: a ${wrods}\neach: [{ words: "1" }]\ncaller: [{ say: "${words}" }]\n',
    ['1 name ${wrods} is no column of each: did you mean words?; $${ writes ${ itself'],
  ],
  [
    'name: a\ncaller:\n  - say: I am ${who}\n',
    ['3 caller[0].say ${who} is no column of each: the scenario has no each; $${ writes ${ itself'],
  ],
  [
    'name: a ${one}\neach:\n  - one: 1\n    two: 2\n',
    ['4 each[0].two is used nowhere in "a ${one}": ${two} stands in none of its texts'],
  ],
  [
    'name: a ${pin}${says}\neach:\n  - { pin: 1, says: x }\n  - { pin: 2 }\n  - { pin: 3, says: y, sasy: 4 }\n',
    [
      '4 each[1] has no says, which the first row has',
      '5 each[2].sasy is no column of the first row: did you mean says?',
    ],
  ],
  ['name: a\neach: []\n', ['2 each must have a row']],
  ['name: a\neach: { pin: 1 }\n', ['2 each must be a list of rows, such as [{ pin: "1111" }]']],
  [
    'name: a\neach:\n  - 5\n  - {}\n  - { "a b": 1 }\n  - { pin: [1] }\n',
    [
      '3 each[0] must be names with their values, such as { pin: "1111" }',
      '4 each[1] must have a value',
      '5 each[2].a b must be named with letters, digits, "-" and "_", a letter first',
      '6 each[3].pin is no column of the first row: there are ',
      '6 each[3].pin must be a text, a number, true or false',
    ],
  ],
  [
    'name: a\nmodel: [{ call: { "${a}": {}, "${b}": {} } }]\neach: [{ a: x, b: x }]\n',
    ['2 model[0].call.x is there twice'],
  ],
  ['name: a\nech: []\n', ['2 ech is not known: did you mean each?']],
])('a table that cannot be: %j', async (text, problems) => {
  expect(await problemsOf(text)).toEqual(problems);
});
