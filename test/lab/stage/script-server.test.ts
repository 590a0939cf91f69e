import type { ModelQuestion } from '../../../src/lab/scenario/model-script.js';
import { functionsUrlOf, ScriptServer, speechUrlOf } from '../../../src/lab/stage/script-server.js';

async function ask(url: string, body: object) {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

test('functions of a call are played at a door of their own, and those of other calls run', async () => {
  const scripts = await ScriptServer.start();
  try {
    const asked: unknown[] = [];
    scripts.play('c-1', (request) => {
      asked.push(request);
      return request.name === 'balance' ? { returns: null, takesMs: 5 } : undefined;
    });
    const door = functionsUrlOf(scripts.url);
    const balance = { callId: 'c-1', name: 'balance', input: { account: '47' } };
    expect(await ask(door, balance)).toEqual({ status: 200, body: { returns: null, takesMs: 5 } });
    expect(await ask(door, { ...balance, name: 'other' })).toEqual({ status: 200, body: {} });
    expect(await ask(door, { ...balance, callId: 'c-2' })).toEqual({ status: 200, body: {} });
    expect(asked).toEqual([
      { name: 'balance', input: { account: '47' } },
      { name: 'other', input: { account: '47' } },
    ]);
    scripts.forget('c-1');
    expect(await ask(door, balance)).toEqual({ status: 200, body: {} });
  } finally {
    await scripts.close();
  }
});

test('where every call is known, a function of another one, or of one that is over, does not run', async () => {
  const scripts = await ScriptServer.start({ knowsAllCalls: true });
  try {
    const door = functionsUrlOf(scripts.url);
    const refused = { status: 422, body: { error: 'no call of that identifier goes on' } };
    expect(await ask(door, { callId: 'c-1', name: 'balance', input: {} })).toEqual(refused);
    scripts.play('c-1', () => undefined);
    expect(await ask(door, { callId: 'c-1', name: 'balance', input: {} })).toEqual({ status: 200, body: {} });
    scripts.forget('c-1');
    expect(await ask(door, { callId: 'c-1', name: 'balance', input: {} })).toEqual(refused);
  } finally {
    await scripts.close();
  }
});

test('who does not know the secret is answered nothing', async () => {
  const scripts = await ScriptServer.start();
  try {
    const { origin } = new URL(scripts.url);
    for (const path of ['/', '/functions', '//functions', '/x/functions'])
      expect(await ask(origin + path, { callId: 'c-1', name: 'a' })).toEqual({ status: 404, body: {} });
  } finally {
    await scripts.close();
  }
});

test('a model is shown the result of each function of one answer, by its name', async () => {
  const scripts = await ScriptServer.start();
  try {
    const asked: ModelQuestion[] = [];
    scripts.serve('c-1', (question) => {
      asked.push(question);
      return { text: 'Done.' };
    });
    const part = (toolName: string, type: string, value: unknown) => ({
      type: 'tool-result',
      toolName,
      output: { type, value },
    });
    const content = [part('balance', 'json', { amount: 5 }), part('hours', 'text', 'closed')];
    await ask(scripts.url, { callId: 'c-1', prompt: [{ role: 'tool', content }] });
    expect(asked[0]?.messages).toEqual([
      {
        role: 'tool',
        text: '{"amount":5} closed',
        tools: ['balance', 'hours'],
        results: [
          { name: 'balance', value: { amount: 5 } },
          { name: 'hours', value: 'closed' },
        ],
      },
    ]);
  } finally {
    await scripts.close();
  }
});

test('an answer of a script that is no JSON is refused, and the server goes on', async () => {
  const scripts = await ScriptServer.start();
  try {
    scripts.serve('c-1', () => ({ call: { find: { id: 10n } } }) as never);
    scripts.serve('c-2', () => {
      throw null;
    });
    const question = { prompt: [], tools: [] };
    expect((await ask(scripts.url, { ...question, callId: 'c-1' })).body).toEqual({
      error: expect.stringContaining('BigInt'),
    });
    expect(await ask(scripts.url, { ...question, callId: 'c-2' })).toEqual({ status: 422, body: { error: 'null' } });
  } finally {
    await scripts.close();
  }
});

test('speaks for bots in the voice of flite, the same words with the same samples', async () => {
  const scripts = await ScriptServer.start();
  const say = async (text: string) => {
    const body = JSON.stringify({ voice: 'kal', text, sampleRate: 8_000 });
    const answer = await fetch(speechUrlOf(scripts.url), { method: 'POST', body });
    return new Int16Array(await answer.arrayBuffer());
  };
  try {
    const spoken = await say('Good morning.');
    expect(spoken.length).toBeGreaterThan(4_000);
    expect(await say('Good morning.')).toEqual(spoken);
    expect(await say('Good evening.')).not.toEqual(spoken);
  } finally {
    await scripts.close();
  }
});

test('a question at the same place of the conversation replaces the one before', async () => {
  const scripts = await ScriptServer.start();
  try {
    const asked: Array<Pick<ModelQuestion, 'no' | 'replaces'>> = [];
    scripts.serve('c-1', ({ no, replaces }) => {
      asked.push({ no, replaces });
      return { text: 'Done.' };
    });
    const of = (role: string, text: string) => ({ role, content: text });
    const [system, half, whole] = [of('system', 'Be kind.'), of('user', 'I want'), of('user', 'I want bread')];
    for (const prompt of [
      [system, half],
      [system, whole],
      [system, whole, of('assistant', 'Done.'), of('user', 'Now')],
    ])
      await ask(scripts.url, { callId: 'c-1', prompt });
    expect(asked).toEqual([
      { no: 1, replaces: false },
      { no: 1, replaces: true },
      { no: 2, replaces: false },
    ]);
  } finally {
    await scripts.close();
  }
});
