import { compareSteps } from '../../../src/lab/certify/compare/compare-steps.js';
import type { Difference } from '../../../src/lab/certify/compare/difference.js';
import { profileOf } from '../../../src/lab/certify/compare/profile.js';
import type { WireItem } from '../../../src/lab/certify/wire/wire-item.js';

type Fields = WireItem['fields'];

const rest = (direction: 'in' | 'out', name: string, fields: Fields): WireItem => ({
  step: 'number',
  at: 0,
  channel: 'rest',
  direction,
  name,
  fields,
});

/** As the sandbox's account is: an application has no address, and then ours has. */
const EXPECTED = [
  rest('in', 'GET /Number/ 200', {
    'objects[].number': ['<own number, digits>', 'long digits'],
    'objects[].alias': ['"sandbox"'],
    'objects[].application': ['empty text', 'path'],
    'objects[].sub_account': ['nothing'],
    'objects[].country': ['"US"'],
    'objects[].sms_enabled': ['false'],
  }),
  rest('in', 'GET /Number/<own number>/ 200', { number: ['<own number, digits>'], application: ['path'] }),
  rest('in', 'GET /Application/<id>/ 200', {
    app_id: ['digits'],
    app_name: ['"sandbox"'],
    answer_url: ['address', 'empty text'],
    answer_method: ['"POST"'],
    'tags[]': ['nothing'],
  }),
  rest('in', 'POST /Application/<id>/ 202', { answer_url: ['address'], message_url: ['empty text'] }),
];

function compare(seen: readonly WireItem[], step = 'number'): Difference[] {
  const expected = profileOf([EXPECTED, EXPECTED]);
  const steps = { number: expected, 'give-back': expected, 'call-in': expected };
  return compareSteps({ step, expected, seen: profileOf([seen]), items: seen, steps, uses: {} });
}
/** Where one answer is another one. */
const answered = (name: string, fields: Fields): readonly WireItem[] =>
  EXPECTED.map((item) => (item.name === name ? { ...item, fields: { ...item.fields, ...fields } } : item));

const LIST = 'GET /Number/ 200';
const NUMBER = 'GET /Number/<own number>/ 200';
const APPLICATION = 'GET /Application/<id>/ 200';
const CHANGE = 'POST /Application/<id>/ 202';

test.each<readonly [what: string, answer: string, fields: Fields]>([
  ['an application has an address', APPLICATION, { answer_url: ['address'] }],
  ['an application has none', APPLICATION, { answer_url: ['nothing'] }],
  ['an application has another name', APPLICATION, { app_name: ['base64'] }],
  ['an application is asked with another method', APPLICATION, { answer_method: ['"GET"'] }],
  ['an application has tags', APPLICATION, { 'tags[]': ['text'] }],
  ['a number has no application', NUMBER, { application: ['empty text'] }],
  ['a number has no name', LIST, { 'objects[].alias': ['nothing'] }],
  ['a number is of a part of the account', LIST, { 'objects[].sub_account': ['path'] }],
  ['a number is of another country', LIST, { 'objects[].country': ['text'] }],
  ['a number takes messages', LIST, { 'objects[].sms_enabled': ['true'] }],
])('is no difference: %s', (_what, answer, fields) => {
  expect(compare(answered(answer, fields))).toEqual([]);
  expect(compare(answered(answer, fields), 'give-back')).toEqual([]);
});

test.each<readonly [what: string, answer: string, fields: Fields, found: Partial<Difference>]>([
  ['a number in another form', NUMBER, { number: ['<own number>'] }, { kind: 'other form', field: 'number' }],
  ['a link in another form', NUMBER, { application: ['uuid'] }, { kind: 'other form', field: 'application' }],
  ['an identifier that is missing', APPLICATION, { app_id: ['nothing'] }, { kind: 'other form', field: 'app_id' }],
  ['a number in place of a name', APPLICATION, { app_name: ['integer'] }, { kind: 'other form', field: 'app_name' }],
  ['a text for a flag', LIST, { 'objects[].sms_enabled': ['"yes"'] }, { field: 'objects[].sms_enabled' }],
  ['a field that is not known', APPLICATION, { region: ['text'] }, { kind: 'field new', field: 'region' }],
])('is a difference: %s', (_what, answer, fields, found) => {
  expect(compare(answered(answer, fields))).toMatchObject([found]);
});

test('a word that we have asked for is answered as we have asked for it', () => {
  const asked = rest('out', 'POST /Application/<id>/', { answer_method: ['"POST"'], answer_url: ['address'] });
  const answer = (answer_method: string) => [
    asked,
    rest('in', CHANGE, { answer_url: ['address'], message_url: ['empty text'], answer_method: [answer_method] }),
  ];
  const expected = profileOf([answer('"POST"'), answer('"POST"')]);
  const told = (seen: readonly WireItem[]) =>
    compareSteps({
      step: 'number',
      expected,
      seen: profileOf([seen]),
      items: seen,
      steps: { number: expected, 'give-back': expected },
      uses: {},
    });
  expect(told(answer('"POST"'))).toEqual([]);
  expect(told(answer('"PUT"'))).toMatchObject([{ kind: 'other word', field: 'answer_method', seen: '"PUT"' }]);
});

test('another answer of success to what we ask is told, and its fields are compared', () => {
  const seen = EXPECTED.map((item) =>
    item.name === CHANGE ? { ...item, name: 'POST /Application/<id>/ 201', fields: { answer_url: ['integer'] } } : item,
  );
  expect(compare(seen).map(({ kind, field }) => [kind, field])).toEqual(
    expect.arrayContaining([
      ['other status', undefined],
      ['field missing', 'message_url'],
    ]),
  );
  const sometimes = profileOf([EXPECTED, EXPECTED.filter(({ name }) => name !== CHANGE)]);
  const items = seen;
  const found = compareSteps({
    step: 'number',
    expected: sometimes,
    seen: profileOf([seen]),
    items,
    steps: { number: sometimes, 'give-back': sometimes },
    uses: {},
  });
  expect(found.map(({ kind, field }) => [kind, field])).toEqual(
    expect.arrayContaining([
      ['other status', undefined],
      ['field missing', 'message_url'],
    ]),
  );
});

test('finds a field that is gone', () => {
  const seen = EXPECTED.map((item) => (item.name === APPLICATION ? { ...item, fields: { app_id: ['digits'] } } : item));
  expect(compare(seen)).toMatchObject([
    { kind: 'field missing', field: 'answer_method' },
    { kind: 'field missing', field: 'answer_url' },
    { kind: 'field missing', field: 'app_name' },
    { kind: 'field missing', field: 'tags[]' },
  ]);
});

test('how many there are is no difference: an account without numbers has an empty list', () => {
  expect(
    compare(EXPECTED.map((item) => (item.name === LIST ? { ...item, fields: { 'objects[]': ['nothing'] } } : item))),
  ).toEqual([]);
});

test('an object where the sandbox has none is no difference', () => {
  const { 'tags[]': _, ...fields } = EXPECTED[2]?.fields ?? {};
  const tagged = { ...fields, 'tags[].name': ['text'] };
  expect(compare(EXPECTED.map((item) => (item.name === APPLICATION ? { ...item, fields: tagged } : item)))).toEqual([]);
});

test('what is asked for besides is no difference, and a refusal is one', () => {
  const other = (status: number) => rest('in', `GET /Trunk/<id>/ ${status}`, { id: ['digits'] });
  expect(compare([...EXPECTED, other(200)])).toEqual([]);
  expect(compare([...EXPECTED, other(404)])).toMatchObject([{ kind: 'message new' }]);
});

test('what we have set is to be answered as we have set it', () => {
  const ask = (answer_url: string) => rest('out', 'POST /Application/<id>/', { AnswerUrl: [answer_url] });
  expect(compare([ask('address'), ...answered(CHANGE, { answer_url: ['address'] })])).toEqual([]);
  expect(compare([ask('empty text'), ...answered(CHANGE, { answer_url: ['nothing'] })])).toEqual([]);
  expect(compare([ask('address'), ...answered(CHANGE, { answer_url: ['empty text'] })])).toMatchObject([
    { kind: 'other form', field: 'answer_url', expected: 'address', seen: 'empty text' },
  ]);
});

test("what is set at a change that we have not asked for is the owner's", () => {
  expect(compare(answered(CHANGE, { message_url: ['address'] }))).toEqual([]);
});

test('in other steps the same values are compared', () => {
  expect(compare(answered(APPLICATION, { answer_method: ['"GET"'] }), 'call-in')).toMatchObject([
    { kind: 'other word', field: 'answer_method' },
  ]);
});
