import { Redactor } from '../../../src/lab/certify/wire/redactor.js';

const OWN = '+12025550100';
const redactor = () => {
  const made = new Redactor(new Set(['in-progress']));
  made.learn('own number', OWN);
  made.learn('account', 'AC0123456789abcdef0123456789abcdef');
  return made;
};

test.each([
  ['From', '+15551234567', 'number with +'],
  ['From', '15551234567', 'long digits'],
  ['To', OWN, '<own number>'],
  ['To', OWN.slice(1), '<own number, digits>'],
  ['CallerName', 'ADA LOVELACE', 'text'],
  ['FromCity', 'SEATTLE', 'text'],
  ['FromState', 'WA', 'text'],
  ['CallerCountry', 'US', 'text'],
  ['sip', 'sip:ada@example.com', 'sip address'],
  ['CallSid', 'CA0123456789abcdef0123456789abcdef', 'CA identifier'],
  ['AccountSid', 'AC0123456789abcdef0123456789abcdef', '<account>'],
  ['url', 'https://example.com/?token=secret', 'address'],
  ['Authorization', 'Basic dXNlcjpwYXNzd29yZA==', 'text'],
  ['note', 'in-progress', '"in-progress"'],
  ['CallStatus', 'ringing', '"ringing"'],
  ['Duration', '12', 'digits'],
  ['sampleRate', 8000, '8000'],
  ['dtmf.digit', '#', '"#"'],
  ['header.content-type', 'application/json', '"application/json"'],
  ['client_state', 'c29tZWJvZHkgc2FpZCBzbw', 'base64'],
  ['header.x-twilio-signature', '/nvZaTD0TBxdLpvat0dmcJbZr4c=', 'base64'],
  ['media.payload', Buffer.alloc(160, 0xff).toString('base64'), 'base64, 160 bytes'],
])('tells %s %s as %s', (path, value, told) => {
  expect(redactor().value(path, value)).toBe(told);
});

test('leaves accounts, calls and numbers out of addresses', () => {
  expect(redactor().path('/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Calls/CA1.json')).toBe(
    '/<id>/Accounts/<account>/Calls/<id>.json',
  );
  expect(redactor().path('/v1/Account/MA1/Number/12025550100/')).toBe(
    '/<id>/Account/<id>/Number/<own number, digits>/',
  );
});

test('leaves out names of fields that a person has made up', () => {
  expect(redactor().fields({ '+15551234567': 'x', 'my own name': 'y', Kept: true })).toEqual({
    '<name>': ['text'],
    Kept: ['true'],
  });
});

test('names each value of a list once', () => {
  expect(redactor().fields({ objects: [{ on: true }, { on: false }, { on: true }] })).toEqual({
    'objects[].on': ['false', 'true'],
  });
});
