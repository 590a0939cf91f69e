import { compareSteps } from '../../../src/lab/certify/compare/compare-steps.js';
import { profileOf } from '../../../src/lab/certify/compare/profile.js';
import type { WireItem } from '../../../src/lab/certify/wire/wire-item.js';

const USES = { From: ['src/providers/plivo/webhooks.ts:1'] };
const webhook = (name: string, at: number, fields: WireItem['fields'] = {}): WireItem => ({
  step: 'call-in',
  at,
  channel: 'webhook',
  direction: 'in',
  name,
  fields,
});
const said = (name: string, at: number, fields: WireItem['fields'] = {}): WireItem => ({
  ...webhook(name, at, fields),
  channel: 'stream',
  stream: 1,
});

const EXPECTED = [
  webhook('/answer answer', 0, { From: ['number with +'], BillRate: ['decimal'], CallStatus: ['"ringing"'] }),
  said('open 101', 10),
  said('start', 20, { 'start.tracks[]': ['"inbound"'] }),
  said('dtmf', 500, { 'dtmf.digit': ['"1"'] }),
  webhook('/hangup hangup', 900, { Duration: ['digits'] }),
];

const compare = (seen: readonly WireItem[], isWhole = true) =>
  compareSteps({
    step: 'call-in',
    expected: profileOf([EXPECTED, EXPECTED]),
    seen: profileOf([seen]),
    uses: USES,
    isWhole,
  });
const change = (name: string, fields: WireItem['fields']) =>
  EXPECTED.map((item) => (item.name === name ? { ...item, fields } : item));

test('finds nothing where all is as expected', () => {
  expect(compare(EXPECTED)).toEqual([]);
});

test('finds nothing in what differs from call to call: how long it was, what it has cost', () => {
  expect(compare(change('/hangup hangup', { Duration: ['decimal'] }))).toEqual([]);
});

test('says that a field matters which the code reads, and where it does', () => {
  const fields = { BillRate: ['decimal'], CallStatus: ['"ringing"'] };
  expect(compare(change('/answer answer', fields))).toEqual([
    {
      step: 'call-in',
      kind: 'field missing',
      where: 'webhook /answer answer',
      field: 'From',
      expected: 'From',
      seen: 'not there',
      matters: true,
      why: 'voicebot reads it',
      restsOn: USES.From,
    },
  ]);
});

test('takes a field that is gone and a new one with the same values for one that was renamed', () => {
  const fields = { From: ['number with +'], CallRate: ['decimal'], CallStatus: ['"ringing"'] };
  const [found, ...others] = compare(change('/answer answer', fields));
  expect(found).toMatchObject({ kind: 'field renamed', field: 'BillRate', seen: 'CallRate', matters: false });
  expect(others).toEqual([]);
});

test('finds a word that the sandbox does not say', () => {
  const fields = { From: ['number with +'], BillRate: ['decimal'], CallStatus: ['"queued"'] };
  expect(compare(change('/answer answer', fields))).toMatchObject([
    { kind: 'other word', expected: '"ringing"', seen: '"queued"' },
  ]);
});

test('finds another order', () => {
  const [answer, open, start, dtmf, hangup] = EXPECTED as [WireItem, WireItem, WireItem, WireItem, WireItem];
  expect(compare([answer, open, dtmf, start, hangup])).toMatchObject([{ kind: 'other order', where: 'stream dtmf' }]);
});

test('finds a message that does not come, and one that nothing is known of', () => {
  const seen = [...EXPECTED.filter(({ name }) => name !== '/hangup hangup'), said('heartbeat', 30, { a: ['text'] })];
  expect(compare(seen)).toMatchObject([
    { kind: 'message missing', where: 'webhook /hangup hangup', matters: true },
    { kind: 'message new', where: 'stream heartbeat', matters: false },
  ]);
});

test('tells of a step that was not played to its end what came, and not what did not', () => {
  const seen = [
    webhook('/answer answer', 0, { From: ['long digits'], BillRate: ['decimal'], CallStatus: ['"ringing"'] }),
  ];
  expect(compare(seen, false)).toMatchObject([{ kind: 'other form', field: 'From' }]);
});

test('a word that was made up in one tour of the sandbox is expected of none', () => {
  const named = (word: string) =>
    EXPECTED.map((item) => (item.name === 'start' ? { ...item, fields: { name: [word] } } : item));
  const expected = profileOf([named('"first"'), named('"second"')]);
  expect(compareSteps({ step: 'call-in', expected, seen: profileOf([named('text')]), uses: {} })).toEqual([]);
  expect(compareSteps({ step: 'call-in', expected, seen: profileOf([named('"third"')]), uses: {} })).toEqual([]);
});
