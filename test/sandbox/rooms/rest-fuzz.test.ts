import fc from 'fast-check';
import { startRoomProvider } from './room-provider-under-test.js';

const ENDPOINTS = [
  'POST /',
  'POST /domain-dialin-config',
  'PUT /domain-dialin-config/ID',
  'POST /buy-phone-number',
  'POST /rooms',
  'POST /rooms/one',
  'POST /rooms/one/eject',
  'POST /meeting-tokens',
  'POST /dialin/pinlessCallUpdate',
  'POST /rooms/one/dialOut/start',
  'POST /rooms/one/dialOut/stop',
  'POST /rooms/one/dialOut/sendDTMF',
  'POST /rooms/one/sipCallTransfer',
  'POST /rooms/one/sipRefer',
  'GET /',
  'GET /domain-dialin-config',
  'GET /list-available-numbers',
  'GET /purchased-phone-numbers',
  'GET /rooms',
  'GET /rooms/one/presence',
  'GET /presence',
  'GET /meeting-tokens/TEXT',
  'GET /rooms/TEXT',
  'GET /domain-dialin-config/TEXT',
  'DELETE /rooms/TEXT',
  'DELETE /domain-dialin-config/TEXT',
  'DELETE /release-phone-number/TEXT',
];

/** Field names that mean something, so that the values under them are looked at. */
const NAMES = ['properties', 'pinless_dialin', 'phone_number', 'room_creation_api', 'hmac', 'type', 'name', 'privacy'];
const MORE_NAMES = ['exp', 'sip', 'permissions', 'canAdmin', 'ids', 'callId', 'room_name', '__proto__', 'constructor'];

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.constant('http://127.0.0.1:1/')),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES, ...MORE_NAMES), tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const body = fc.oneof(
  { arbitrary: json.map((value) => JSON.stringify(value)), weight: 8 },
  fc.constantFrom('[', '{"properties":{"permissions":', '{"properties":{"streaming_endpoints":').map((start) => {
    const depth = 20_000;
    const ends = '}'.repeat(start.length - start.replaceAll('{', '').length);
    return start === '[' ? '['.repeat(depth) + ']'.repeat(depth) : start + '['.repeat(depth) + ']'.repeat(depth) + ends;
  }),
  fc.string(),
);

test('answers anything with success or a refusal in the right form', async () => {
  await using provider = await startRoomProvider();
  const { body: entry } = await provider.post('/domain-dialin-config', {
    type: 'pinless_dialin',
    room_creation_api: 'http://127.0.0.1:1/',
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ENDPOINTS), fc.string(), body, async (endpoint, text, sent) => {
      await provider.post('/rooms', { name: 'one' });
      const [method = '', path = ''] = endpoint.split(' ');
      const filled = path.replace('ID', entry.id).replace('TEXT', encodeURIComponent(text) || 'x');
      const query =
        method === 'GET' ? `?limit=${encodeURIComponent(text)}&ending_before=${encodeURIComponent(text)}` : '';
      const answer = await provider.send(method, `${filled}${query}`, method === 'GET' ? undefined : sent);
      if (answer.status === 200) return;
      expect([400, 404]).toContain(answer.status);
      expect(answer.body).toEqual({ error: expect.any(String), info: expect.any(String) });
    }),
    { numRuns: 100 },
  );
}, 60_000);
