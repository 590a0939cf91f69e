import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { ErrorFrame, type Frame, type ToolResult, Turn } from '../../../../src/bot/pipeline/frames/index.js';
import { FunctionRunner } from '../../../../src/bot/services/llm/function-runner.js';
import { functionsUrl, type PlayedFunction, playFunction } from '../../../../src/bot/services/llm/played-function.js';
import { asCallId, type CallId } from '../../../../src/call/call-id.js';
import { FUNCTIONS_URL_VARIABLE } from '../../../../src/call/lab-address.js';
import type { BotEntry } from '../../../../src/call/timeline.js';
import { until } from './llm-rig.js';

/** A lab that answers every question alike, at the address where bots of this process ask it. */
class FakeLab implements AsyncDisposable {
  readonly asked: unknown[] = [];
  readonly #server = createServer(async (request, response) => {
    this.asked.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    const { status, body } =
      typeof this.answer === 'string'
        ? { status: 200, body: this.answer }
        : 'status' in this.answer
          ? this.answer
          : { status: 200, body: JSON.stringify(this.answer) };
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
  });

  private constructor(
    private readonly answer: PlayedFunction | string | { readonly status: number; readonly body: string },
  ) {}

  static async start(answer: FakeLab['answer']): Promise<FakeLab> {
    const lab = new FakeLab(answer);
    await once(lab.#server.listen(0, '127.0.0.1'), 'listening');
    process.env[FUNCTIONS_URL_VARIABLE] = `http://127.0.0.1:${(lab.#server.address() as AddressInfo).port}/functions`;
    return lab;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The function `balance` of a bot, which the model calls; `ran` has the inputs with which its own code has run. */
function balanceOf(
  account: unknown,
  { timeoutMs, callId = asCallId('call-1') }: { timeoutMs?: number; callId?: CallId | null } = {},
) {
  const ran: unknown[] = [];
  const pushed: Frame[] = [];
  const noted: BotEntry[] = [];
  const work = new AbortController();
  const runner = new FunctionRunner({
    push: (frame) => pushed.push(frame),
    broadcast: (create) => pushed.push(create()),
    signal: () => work.signal,
    timeline: () => ({ note: (entry) => noted.push(entry), during: (_step, begun) => begun() }),
    play: (call, execute, signal) => playFunction(callId ?? undefined, call, execute, signal),
  });
  const context = new LLMContext({
    tools: [
      {
        name: 'balance',
        description: 'The balance of an account.',
        parameters: z.object({ account: z.string().transform((text) => text.trim()) }),
        execute: (input) => {
          ran.push(input);
          return 'its own';
        },
        ...(timeoutMs !== undefined && { timeoutMs }),
      },
    ],
  });
  const turn = new Turn(1);
  const calls = [{ id: '1', name: 'balance', input: { account } }];
  context.addToolCalls(context.beginResponse(turn), calls);
  const done = runner.run({ context, turn, calls, hasSpoken: false, signal: work.signal });
  return {
    ran,
    done,
    interrupt: () => work.abort(),
    result: async (): Promise<ToolResult | undefined> => {
      await done;
      return context.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))[0];
    },
    errors: () => pushed.flatMap((frame) => (frame instanceof ErrorFrame ? [frame.error.message] : [])),
    returned: () => noted.find((entry) => entry.type === 'tool_returned'),
  };
}

afterEach(() => {
  delete process.env[FUNCTIONS_URL_VARIABLE];
});

test.each([{ amount: 1_250 }, 'closed', null, 0, []])(
  'what a lab plays, %j, is the result, and the function does not run',
  async (returns) => {
    await using lab = await FakeLab.start({ returns });
    const { result, ran, returned } = balanceOf(' 47 ');
    expect(await result()).toMatchObject({ output: returns, isError: false });
    expect(ran).toEqual([]);
    expect(lab.asked).toEqual([{ callId: 'call-1', name: 'balance', input: { account: ' 47 ' } }]);
    expect(returned()).toMatchObject({ name: 'balance', output: returns, isError: false });
  },
);

test('a function that is played as failing fails as one that throws', async () => {
  await using _lab = await FakeLab.start({ fails: 'the database is down' });
  const { result, ran, returned, errors } = balanceOf('47');
  expect(await result()).toMatchObject({ output: 'the database is down', isError: true });
  expect(returned()).toMatchObject({ isError: true, errorType: 'Error' });
  expect(errors()).toEqual(['the database is down']);
  expect(ran).toEqual([]);
});

test.each<[string, PlayedFunction, unknown]>([
  ['a result', { returns: 5, takesMs: 60 }, 5],
  ["the function's own", { takesMs: 60 }, 'its own'],
])('%s comes only after the time that it takes', async (_, played, output) => {
  await using _lab = await FakeLab.start(played);
  const { result, returned, ran } = balanceOf(' 47 ');
  expect(await result()).toMatchObject({ output, isError: false });
  expect(returned()?.ms).toBeGreaterThanOrEqual(59);
  expect(ran).toEqual(output === 'its own' ? [{ account: '47' }] : []);
});

test('a lab that plays nothing lets the function run with the input that was checked', async () => {
  await using lab = await FakeLab.start({});
  const { result, ran } = balanceOf(' 47 ');
  expect(await result()).toMatchObject({ output: 'its own' });
  expect(ran).toEqual([{ account: '47' }]);
  expect(lab.asked).toHaveLength(1);
});

test('an input that does not fit is refused by the bot, and no lab is asked', async () => {
  await using lab = await FakeLab.start({ returns: 5 });
  const { result, returned } = balanceOf(47);
  expect((await result())?.output).toMatch(/^the input does not fit: account: /);
  expect(returned()).toMatchObject({ errorType: 'invalid_input' });
  expect(lab.asked).toEqual([]);
});

test('a played function that takes longer than the function may fails with its timeout', async () => {
  await using _lab = await FakeLab.start({ returns: 5, takesMs: 600_000 });
  const { result, returned } = balanceOf('47', { timeoutMs: 50 });
  expect(await result()).toMatchObject({ output: 'no result within 50 ms', isError: true });
  expect(returned()).toMatchObject({ errorType: 'timeout' });
});

test('an interruption ends the waiting: the function is cancelled, and does not run later', async () => {
  await using lab = await FakeLab.start({ takesMs: 600_000 });
  const { interrupt, done, ran, returned } = balanceOf('47');
  await until(() => lab.asked.length === 1);
  interrupt();
  expect(await done).toBe(false);
  await until(() => returned() !== undefined);
  expect(returned()).toMatchObject({ output: 'cancelled: the caller spoke', errorType: 'cancelled' });
  expect(ran).toEqual([]);
});

test.each<[string, FakeLab['answer'], string]>([
  ['refuses', { status: 422, body: '{"error":"no such call"}' }, '422 no such call'],
  ['answers no JSON', 'closed', 'the answer is not valid'],
  ['says both', { returns: 1, fails: 'x' }, 'the answer is not valid'],
  ['says something else', '{"result":1}', 'the answer is not valid'],
])('where the lab %s, the function fails and does not run', async (_, answer, words) => {
  await using _lab = await FakeLab.start(answer);
  const { result, ran, returned } = balanceOf('47');
  const output = `The lab could not play a function, and it has not run: balance: ${words}`;
  expect(await result()).toMatchObject({ output, isError: true });
  expect(returned()).toMatchObject({ errorType: 'VB_FUNCTION_NOT_PLAYED' });
  expect(ran).toEqual([]);
});

test('a lab that cannot be reached makes the function fail, and it does not run', async () => {
  const lab = await FakeLab.start({ returns: 5 });
  await lab[Symbol.asyncDispose]();
  const { result, ran } = balanceOf('47');
  const output = 'The lab could not play a function, and it has not run: balance: no answer';
  expect(await result()).toMatchObject({ output, isError: true });
  expect(ran).toEqual([]);
});

test('a bot that does not know its call runs no function where a lab plays them', async () => {
  await using lab = await FakeLab.start({ returns: 5 });
  const { result, ran } = balanceOf('47', { callId: null });
  expect((await result())?.output).toContain('the bot does not know which call this is');
  expect([ran, lab.asked]).toEqual([[], []]);
});

test('without a lab the function runs', async () => {
  const { result } = balanceOf('47', { callId: null });
  expect(await result()).toMatchObject({ output: 'its own', isError: false });
});

test.each(['https://127.0.0.1:80/', 'http://example.com/', 'lab'])('a lab at %s is refused', (url) => {
  process.env[FUNCTIONS_URL_VARIABLE] = url;
  expect(functionsUrl).toThrow('VOICEBOT_FUNCTIONS_URL must be an http:// address on this machine');
});
