import { fileURLToPath } from 'node:url';
import { startCall } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

const botFile = fileURLToPath(new URL('./bots/checked.mjs', import.meta.url));

describe.each([
  ['in a process of its own', {}],
  ['in the process of the test', IN_PROCESS],
])('a bot %s that says what its custom data looks like', (_, options) => {
  let served: RunnerUnderTest;
  beforeAll(async () => {
    served = await RunnerUnderTest.start({ ...options, botFile });
  });
  afterAll(() => served[Symbol.asyncDispose]());

  test.each([
    [{ user: { id: '7' }, reason: 1 }, 'body.user.id: Invalid input: expected number, received string; body.reason:'],
    [{}, 'body.user: Invalid input: expected object, received undefined'],
    [{ user: { id: 13 } }, 'body.user.id: is unlucky'],
  ])('has POST /start answer 400 to %j, and nobody is called', async (body, problem) => {
    const { status, body: answer } = await startCall(served.runner, { phone_number: '+15551234567', body });
    expect([status, answer.error.code]).toEqual([400, 'VB_REQUEST_INVALID']);
    expect(answer.error.message).toContain(problem);
    expect(served.api.requests.all.filter(({ path }) => path === 'Call/')).toEqual([]);
    await expect(served.runner.dial({ phoneNumber: '+15551234567', body, parameters: {} })).rejects.toThrow(problem);
  });

  test('is dialled for with what fits', async () => {
    const { status } = await startCall(served.runner, { phone_number: '+15551234567', body: { user: { id: 7 } } });
    expect(status).toBe(202);
  });
});
