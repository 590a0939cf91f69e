import { callerNumber } from '../../src/call/caller-number.js';

test.each([
  'Anonymous',
  'anonymous',
  'ANONYMOUS',
  'Restricted',
  'Unavailable',
  'Unknown',
  'Private',
  'Private Number',
  'No Caller ID',
  'Blocked',
  '',
  ' ',
  '+266696687',
  '+7378742833',
  '+2562533',
  '+8566696',
  '+8656696',
  '+86282452253',
  '+7748283',
  'sip:anonymous@anonymous.invalid',
  'sip:anonymous@example.com;user=phone',
  'anonymous@sip.example.com',
  '"Anonymous" <sip:anonymous@anonymous.invalid>;tag=1',
  'sip:+266696687@example.com',
  undefined,
])('%j is a withheld number, whatever provider sends it', (raw) => {
  expect(callerNumber(raw, true)).toBeUndefined();
  expect(callerNumber(raw, false)).toBeUndefined();
});

test.each(['266696687', '7378742833', '2562533', '86282452253'])(
  '%s is withheld where E.164 comes without "+"',
  (raw) => {
    expect(callerNumber(raw, true)).toBeUndefined();
    expect(callerNumber(raw, false)).toBe(raw);
  },
);

test.each([
  ['Lesotho', '+26622123456'],
  ['Russia', '+73787428330'],
  ['Uganda', '+256253312345'],
  ['China', '+862882452253'],
  ['Laos', '+85620966960'],
  ['Kazakhstan', '+77482831234'],
  ['the area code 737', '+17378742833'],
])('a number of %s whose digits begin like a keyed word is a number', (_, number) => {
  expect(callerNumber(number, true)).toBe(number);
  expect(callerNumber(number.slice(1), true)).toBe(number);
  expect(callerNumber(number, false)).toBe(number);
});

test('an address of a person stays as received', () => {
  expect(callerNumber('sip:ada@example.com', true)).toBe('sip:ada@example.com');
  expect(callerNumber('sip:private.ada@example.com', true)).toBe('sip:private.ada@example.com');
});
