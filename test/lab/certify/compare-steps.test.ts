import { compareSteps } from '../../../src/lab/certify/compare/compare-steps.js';
import { differenceTable } from '../../../src/lab/certify/compare/difference-table.js';
import { profileOf } from '../../../src/lab/certify/compare/profile.js';
import type { WireItem } from '../../../src/lab/certify/wire/wire-item.js';

const READ_AT = ['src/providers/plivo/webhooks.ts:1'];
const USES = { webhook: { From: READ_AT } };
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
      restsOn: READ_AT,
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

/** Of one message each: what is expected of it, and what was seen. */
const ofOne = (expected: WireItem, seen: WireItem, uses = {}) =>
  compareSteps({
    step: 'number',
    expected: profileOf([[expected], [expected]]),
    seen: profileOf([[seen]]),
    uses,
  });
const answer = (status: number, fields: WireItem['fields']): WireItem => ({
  ...webhook(`GET /Number.json ${status}`, 0, fields),
  channel: 'rest',
});

test('says that a field of an answer matters where the code reads answers, not where it reads webhooks', () => {
  const [seen, expected] = [answer(200, {}), answer(200, { From: ['number with +'] })];
  expect(ofOne(expected, seen, USES)).toMatchObject([{ kind: 'field missing', field: 'From', matters: false }]);
  const uses = { ...USES, rest: { From: ['src/providers/plivo/rest.ts:1'] } };
  expect(ofOne(expected, seen, uses)).toMatchObject([{ matters: true, restsOn: ['src/providers/plivo/rest.ts:1'] }]);
});

test('does not take a field for another one because both are empty', () => {
  const [seen, expected] = [answer(200, { sms_url: ['nothing'] }), answer(200, { trunk_sid: ['nothing'] })];
  expect(ofOne(expected, seen)).toMatchObject([
    { kind: 'field missing', field: 'trunk_sid' },
    { kind: 'field new', field: 'sms_url' },
  ]);
});

test('does not look for the fields of what was asked for in a refusal', () => {
  const [seen, expected] = [answer(404, { code: ['20404'] }), answer(200, { sid: ['CA identifier'], to: ['text'] })];
  expect(ofOne(expected, seen)).toMatchObject([{ kind: 'other status', expected: 'GET /Number.json 200' }]);
});

test('a name that the owner of an account has given may be any', () => {
  const named = (name: string) => answer(200, { friendly_name: [name] });
  for (const name of ['text', 'number with +', '<own number>', 'base64', 'nothing'])
    expect(ofOne(named('"sandbox"'), named(name))).toEqual([]);
  expect(ofOne(named('"sandbox"'), named('integer'))).toMatchObject([{ kind: 'other form' }]);
});

test('an address that is not set may be null or empty', () => {
  const [unset, empty] = [answer(200, { voice_url: ['nothing'] }), answer(200, { voice_url: ['empty text'] })];
  expect(ofOne(empty, unset)).toEqual([]);
  expect(ofOne(answer(200, { voice_url: ['address'] }), unset)).toMatchObject([{ kind: 'other form' }]);
});

test('a webhook that voicebot passes over is not waited for, and its answer is not missed beside it', () => {
  const status = webhook('/stream-status other', 5, {});
  const replied: WireItem = { ...status, channel: 'document', direction: 'out', name: '/stream-status other 200' };
  const expected = profileOf([
    [...EXPECTED, status, replied],
    [...EXPECTED, status, replied],
  ]);
  const uses = { webhook: { other: READ_AT }, document: { other: READ_AT } };
  expect(compareSteps({ step: 'call-in', expected, seen: profileOf([EXPECTED]), uses })).toMatchObject([
    { kind: 'message missing', where: 'webhook /stream-status other', matters: false, restsOn: [] },
  ]);
});

test('tells once, for people, what is different in several steps', () => {
  const found = compare(change('/answer answer', { From: ['number with +'], CallStatus: ['"ringing"'] }));
  const rows = differenceTable([...found, ...found.map((one) => ({ ...one, step: 'call-out' }))]).slice(2);
  expect(rows).toEqual([expect.stringMatching(/^\| call-in, call-out \| field missing \|.*BillRate/)]);
});
