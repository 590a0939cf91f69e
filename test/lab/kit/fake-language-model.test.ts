import { FakeLanguageModel, type FakeModelRequest } from '../../../src/lab/kit/index.js';

const ask = (fake: FakeLanguageModel, fields: object = {}, init: RequestInit = {}) =>
  fetch(`${fake.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'fake', stream: true, messages: [{ role: 'user', content: 'Hello?' }], ...fields }),
    headers: { authorization: 'Bearer the-key' },
    ...init,
  });

/** The text of an answer's events. */
async function textOf(response: Response): Promise<string> {
  const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: {'));
  return events.map((event) => JSON.parse(event.slice(6)).choices[0].delta.content ?? '').join('');
}

test('sends a text word by word', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { text: 'We open at nine. ' } });
  const response = await ask(fake);
  expect(response.headers.get('content-type')).toMatch('text/event-stream');
  const body = await response.text();
  const pieces = [...body.matchAll(/"content":"([^"]+)"/g)].map(([, piece]) => piece);
  expect(pieces).toEqual(['We', ' open', ' at', ' nine. ']);
  expect(body).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/);
});

test('gives the replies of a list in turn, and then the last again', async () => {
  await using fake = await FakeLanguageModel.start({ replies: [{ text: 'one' }, { text: 'two' }] });
  const answers: string[] = [];
  for (let index = 0; index < 3; index += 1) answers.push(await textOf(await ask(fake)));
  expect(answers).toEqual(['one', 'two', 'two']);
});

test('replies to what it was sent, and records that', async () => {
  const seen: FakeModelRequest[] = [];
  await using fake = await FakeLanguageModel.start({
    replies: (messages, request) => {
      seen.push(request);
      return { text: `You said ${messages.at(-1)?.text}` };
    },
  });
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello?' }] },
  ];
  const tools = [{ type: 'function', function: { name: 'weather' } }];
  expect(await textOf(await ask(fake, { messages, tools }))).toBe('You said Hello?');
  expect(fake.requests).toEqual(seen);
  expect(fake.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    tools: ['weather'],
    messages: [
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'Hello?' },
    ],
  });
  expect(await fake.requests[0]?.ended).toBe(false);
  expect(fake.requests[0]?.abortedAt).toBeUndefined();
});

test('refuses another key as OpenAI does', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { text: 'Yes.' }, apiKey: 'the-key' });
  const refused = await ask(fake, {}, { headers: { authorization: 'Bearer another' } });
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { code: 'invalid_api_key', message: expect.any(String) } });
  expect((await ask(fake)).status).toBe(200);
  expect(fake.requests).toHaveLength(1);
});

test('refuses with the status and the words of the script', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { status: 503, error: 'Overloaded' } });
  const response = await ask(fake);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: { message: 'Overloaded', type: 'server_error' } });
});

test('knows no other address', async () => {
  await using fake = await FakeLanguageModel.start({ replies: {} });
  expect((await fetch(`${fake.url}/models`)).status).toBe(404);
});

test('breaks off where the script says', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { text: 'one two three', breakOffAfter: 2 } });
  const response = await ask(fake);
  await expect(response.text()).rejects.toThrow('terminated');
  expect(await fake.requests[0]?.ended).toBe(false);
});

test('notes when the client goes away', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { hang: true } });
  const client = new AbortController();
  const answer = ask(fake, {}, { signal: client.signal }).catch(() => 'aborted');
  const request = await fake.request(0);
  client.abort();
  expect(await answer).toBe('aborted');
  expect(await request.ended).toBe(true);
  expect(request.abortedAt).toBeGreaterThanOrEqual(request.receivedAt);
});

test('stops in the middle of an answer, and twice', async () => {
  const fake = await FakeLanguageModel.start({ replies: { text: 'one two', tokenDelayMs: 60_000 } });
  const response = await ask(fake);
  await fake.close();
  await fake.close();
  await expect(response.text()).rejects.toThrow('terminated');
  expect(await fake.requests[0]?.ended).toBe(false);
});
