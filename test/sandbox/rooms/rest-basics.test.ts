import { startRoomProvider } from './room-provider-under-test.js';

const error = (name: string) => ({ error: name, info: expect.any(String) });

test.each(['', 'Basic YTpi', 'Bearer', 'Bearer a b', 'room-api-key'])(
  'refuses the malformed header "%s"',
  async (header) => {
    await using provider = await startRoomProvider();
    const { status, body } = await provider.send('GET', '/', undefined, header);
    expect(status).toBe(400);
    expect(body).toEqual(error('authorization-header-error'));
  },
);

test('refuses another key, whatever is asked', async () => {
  await using provider = await startRoomProvider();
  for (const path of ['/', '/rooms', '/nothing', '/rooms/%']) {
    const { status, body } = await provider.send('POST', path, '{', 'Bearer another-key');
    expect(status).toBe(401);
    expect(body).toEqual(error('authentication-error'));
  }
});

test('refuses what is not JSON, not an object or too large', async () => {
  await using provider = await startRoomProvider();
  expect(await provider.post('/rooms', '{')).toMatchObject({ status: 400, body: error('json-parsing-error') });
  for (const body of ['[]', '"text"', '5', 'true']) {
    expect(await provider.post('/rooms', body)).toMatchObject({ status: 400, body: error('invalid-request-error') });
  }
  const large = { properties: { lang: 'x'.repeat(140_000) } };
  expect(await provider.post('/rooms', large)).toMatchObject({ status: 413, body: error('invalid-request-error') });
});

test.each([
  ['GET', '/nothing'],
  ['GET', '/rooms/one/nothing'],
  ['PUT', '/rooms'],
  ['GET', '/meeting-tokens'],
  ['POST', '/rooms/one/dialout/start'],
  ['GET', '/dialin/pinlessCallUpdate'],
  ['GET', '/recordings'],
])('knows no %s %s', async (method, path) => {
  await using provider = await startRoomProvider();
  const { status, body } = await provider.send(method, path);
  expect(status).toBe(404);
  expect(body).toEqual(error('not-found'));
});

test('answers a path that cannot be decoded in its own form', async () => {
  await using provider = await startRoomProvider();
  expect(await provider.get('/rooms/%zz')).toEqual({ status: 400, body: error('invalid-request-error') });
});

test('throttles the account, and deletions of rooms by themselves', async () => {
  await using provider = await startRoomProvider({ isLimited: true });
  const refused = { status: 429, body: error('rate-limit-error') };
  const statuses = async (times: number, method: string, path: string) => {
    const answers = await Promise.all(Array.from({ length: times }, () => provider.send(method, path)));
    return [...new Set(answers.map(({ status }) => status))];
  };
  expect(await statuses(100, 'GET', '/')).toEqual([200]);
  expect(await provider.get('/')).toEqual(refused);
  expect(await statuses(50, 'DELETE', '/rooms/none')).toEqual([404]);
  expect(await provider.delete('/rooms/none')).toEqual(refused);
  provider.clock.monotonicMs = 5_000;
  expect((await provider.get('/')).status).toBe(200);
  expect(await provider.delete('/rooms/none')).toEqual(refused);
  provider.clock.monotonicMs = 30_000;
  expect((await provider.delete('/rooms/none')).status).toBe(404);
});

test('does not count what it has not authenticated', async () => {
  await using provider = await startRoomProvider({ isLimited: true });
  for (let n = 0; n < 101; n += 1) await provider.send('GET', '/', undefined, 'Bearer x');
  expect((await provider.get('/')).status).toBe(200);
});

test('says that it has failed, and not how', async () => {
  await using provider = await startRoomProvider();
  await provider.post('/rooms', { name: 'one' });
  provider.live.refusal = new Error('inner workings');
  expect(await provider.post('/rooms/one/sipRefer', {})).toEqual({
    status: 500,
    body: { error: 'server-error', info: 'internal error' },
  });
});
