import type { Carrier } from '../../../src/providers/carrier.js';
import { BUILT_IN_CARRIERS, DEFAULT_CARRIER } from '../../../src/providers/registry/carrier-names.js';
import {
  carrierApiUrl,
  carrierByName,
  carrierOfWebhook,
  carriers,
  recogniseStream,
} from '../../../src/providers/registry/carriers.js';
import { recordedMessage } from '../plivo/recorded-messages.js';

const plivoStart = recordedMessage('plivo/messages/start');
const plivo = {
  carrier: 'plivo',
  streamId: 'e1d2c3b4-a596-4788-8697-a6b5c4d3e2f1',
  providerCallId: 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44',
};

test('finds a carrier by its name', () => {
  expect(carrierByName('plivo')).toBe(carriers.plivo);
  expect(carrierByName('twilio')).toBe(carriers.twilio);
  expect(carrierByName(DEFAULT_CARRIER)).toBe(carriers.plivo);
});

test('the carriers differ in nothing but what a carrier may lack', () => {
  const optional = ['trialWebhook', 'webhookNonce', 'looksLikeOurs', 'authIdProblem', 'regions'];
  const membersOf = (carrier: Carrier) => Object.keys(carrier).filter((member) => !optional.includes(member));
  for (const [name, carrier] of Object.entries<Carrier>(carriers)) {
    expect(carrier.name).toBe(name);
    expect(membersOf(carrier).sort()).toEqual(membersOf(carriers.plivo).sort());
    expect(Object.keys(carrier.capabilities).sort()).toEqual(Object.keys(carriers.plivo.capabilities).sort());
  }
});

test('every carrier stands under its own name, and signs webhooks in a header of its own', () => {
  expect(Object.values(carriers).map(({ name }) => name)).toEqual(BUILT_IN_CARRIERS);
  for (const name of BUILT_IN_CARRIERS) expect(carrierOfWebhook({ [carriers[name].signatureHeader]: 'x' })).toBe(name);
  expect(carrierOfWebhook({ 'x-signature': 'x' })).toBeUndefined();
});

describe('the address of the API for code of a bot file', () => {
  const { CARRIER, CARRIER_API_URL } = process.env;
  const set = (values: Record<string, string | undefined>) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  afterEach(() => set({ CARRIER, CARRIER_API_URL }));

  test.each([
    [undefined, undefined, carriers.plivo.defaultApiUrl],
    [undefined, 'http://127.0.0.1:9/v1', 'http://127.0.0.1:9/v1'],
    ['plivo', 'http://127.0.0.1:9/v1', 'http://127.0.0.1:9/v1'],
    ['twilio', 'http://127.0.0.1:9/v1', carriers.plivo.defaultApiUrl],
  ])('with CARRIER %s and CARRIER_API_URL %s', (name, url, expected) => {
    set({ CARRIER: name, CARRIER_API_URL: url });
    expect(carrierApiUrl(carriers.plivo)).toBe(expected);
  });
});

test.each(['exotel', 'Plivo', '', 'constructor', '__proto__'])('does not support the carrier %j', (name) => {
  expect(() => carrierByName(name)).toThrow(expect.objectContaining({ code: 'VB_CARRIER_UNSUPPORTED' }));
});

test.each(['start', 'start_preflight_client', 'start_unsupported_encoding'])(
  'recognises Plivo at its first message, %s',
  (name) => {
    expect(recogniseStream([recordedMessage(`plivo/messages/${name}`)])).toEqual(plivo);
  },
);

test.each([
  ['twilio', 'MZ18ad3ab5a668481ce02b83e7395059f0', 'CA5d41402abc4b2a76b9719d911017c592'],
  ['telnyx', '32de0dea-53cb-4b21-89a4-9e1819c043bc', 'v3:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ'],
  ['exotel', '1a2b3c4d5e6f708192a3b4c5d6e7f809', 'c41f7a9d2b3e4f5061728394a5b6c7d8'],
])('recognises %s by the start that follows connected', (carrier, streamId, callId) => {
  const connected = recordedMessage(`${carrier}/connected`);
  const start = recordedMessage(`${carrier}/start`);
  expect(recogniseStream([connected])).toBe('need_more');
  expect(recogniseStream([connected, start])).toEqual({ carrier, streamId, providerCallId: callId });
  expect(recogniseStream([start])).toEqual({ carrier, streamId, providerCallId: callId });
});

test('waits for a message when there is none', () => {
  expect(recogniseStream([])).toBe('need_more');
});

test('skips up to four messages that are no start, then gives up', () => {
  const noise = ['', 'PING', 'null', '[]', '{"event":"media"}'];
  for (let count = 1; count <= 4; count += 1) {
    expect(recogniseStream(noise.slice(0, count))).toBe('need_more');
    expect(recogniseStream([...noise.slice(0, count), plivoStart])).toEqual(plivo);
  }
  expect(recogniseStream(noise)).toBe('unrecognised');
  expect(recogniseStream([...noise, plivoStart])).toBe('unrecognised');
});

test.each([
  '{"event":"start"}',
  '{"event":"start","start":null}',
  '{"event":"start","start":{"streamId":"a"}}',
  '{"event":"start","start":{"streamId":1,"callId":2}}',
  '{"event":"start","start":{"streamId":"a","callId":"../a"}}',
  '{"event":"start","start":{"streamSid":"","callSid":""}}',
  '{"event":"start","start":{"streamSid":"MZ1","callSid":"CA1"}}',
  '{"event":"start","start":{"stream":"a","call":"b"}}',
])('does not recognise %s, whatever follows', (text) => {
  expect(recogniseStream([text])).toBe('unrecognised');
  expect(recogniseStream([text, plivoStart])).toBe('unrecognised');
});
