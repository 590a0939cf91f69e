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
  ['customParameters.call_id', 'out_IFkcSPGBp_MuyLZp', 'base64'],
  ['customParameters.pass', 'bWVzc2FnZUlERnJvbVRoZUJvdA', 'base64'],
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

test.each(['/ws/out_IFkcSPGBp_MuyLZp', '/ws/IFkcSPGBpMuyLZpQ', '/ws/6a10fbee-7e5e-4d95-8901-de3ea61e5f13'])(
  'leaves an identifier out of %s, whether digits are in it or not',
  (path) => {
    expect(redactor().path(path)).toBe('/ws/<id>');
  },
);

test('keeps the words of a path', () => {
  const path = '/Account/IncomingPhoneNumbers/domain-dialin-config/texml_applications/dialOut.json';
  expect(redactor().path(path)).toBe(path);
});

test('tells an identifier that is the name of a field by its form: two of them are the same field', () => {
  const permissions = (participant: string, user: string) => ({
    canReceive: { base: true, byParticipantId: { [participant]: true }, byUserId: { [user]: true } },
    participants: { [participant]: { sendsAudio: true } },
  });
  const one = redactor().fields(permissions('6a10fbee-7e5e-4d95-8901-de3ea61e5f13', 'voicebot-65ef651cec8fcf4f'));
  expect(one).toEqual({
    'canReceive.base': ['true'],
    'canReceive.byParticipantId.<id>': ['true'],
    'canReceive.byUserId.<id>': ['true'],
    'participants.<id>.sendsAudio': ['true'],
  });
  expect(redactor().fields(permissions('bbc038a0-5238-4d95-8901-de3ea61e5f13', 'ada'))).toEqual(one);
});

test.each([
  '#',
  '$t',
  'country_iso_alpha2',
  'header.x-plivo-signature-v3-nonce',
  'L16',
  'x-telnyx-ed25519',
  'fallback_method',
])('keeps the name %s of a field', (name) => {
  const field = name.split('.').at(-1) ?? '';
  expect(redactor().fields({ [field]: true })).toEqual({ [field]: ['true'] });
});

test.each(['V1StGXR8_Z5jdHi6B-myT', 'out_IFkcSPGBp_MuyLZp'])(
  'leaves an identifier out of the name %s of a field',
  (name) => {
    expect(redactor().fields({ participants: { [name]: true } })).toEqual({ 'participants.<id>': ['true'] });
  },
);

test('leaves an address out that is the name of a field', () => {
  expect(redactor().fields({ seats: { 'jane@example.com': true } })).toEqual({ 'seats.<name>': ['true'] });
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
