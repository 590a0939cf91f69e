import type { SandboxFaults } from '../../../src/sandbox/carrier/faults.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { hurried } from '../../hasty-clock.js';
import { AUTH_ID, AUTH_TOKEN, startFastSandbox } from '../fake-caller.js';

hurried();

/** How a request ended: its status, or `closed` without an answer. */
type Outcome = number | 'closed';

async function send(sandbox: Sandbox, method: string, path: string, body?: object): Promise<Outcome> {
  try {
    const response = await fetch(`${sandbox.apiUrl}/Account/${AUTH_ID}/${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${AUTH_ID}:${AUTH_TOKEN}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.text();
    if (response.status === 429) expect(response.headers.get('retry-after')).toBe('1');
    return response.status;
  } catch {
    return 'closed';
  }
}

const dial = (sandbox: Sandbox, to: string): Promise<Outcome> =>
  send(sandbox, 'POST', 'Call/', { from: '12025550100', to, answer_url: 'http://127.0.0.1:1/answer' });

/** Dials 40 numbers that nobody answers, one after the other. */
async function dialForty(faults: SandboxFaults): Promise<{ outcomes: Outcome[]; placed: number; live: number }> {
  await using sandbox = await startFastSandbox({ faults });
  const outcomes: Outcome[] = [];
  for (let n = 10; n < 50; n += 1) outcomes.push(await dial(sandbox, `15551${n}0103`));
  expect([...sandbox.placedCalls.values()].every((times) => times === 1)).toBe(true);
  return { outcomes, placed: sandbox.placedCalls.size, live: sandbox.liveCalls };
}

const count = (outcomes: readonly Outcome[], outcome: Outcome): number =>
  outcomes.filter((other) => other === outcome).length;

test('places calls whose answer is lost, half of them with an error and half with a closed connection', async () => {
  const { outcomes, placed, live } = await dialForty({ failAfterAccepting: 0.5 });
  expect(placed).toBe(40);
  expect(live).toBe(40);
  const [errors, closed] = [count(outcomes, 500), count(outcomes, 'closed')];
  expect(errors + closed).toBeGreaterThan(10);
  expect(Math.abs(errors - closed)).toBeLessThanOrEqual(1);
  expect(errors + closed + count(outcomes, 201)).toBe(40);
});

test.each([
  [{ failBeforeAccepting: 0.5 }, 503],
  [{ tooManyRequests: 0.5 }, 429],
])('places no call when it refuses: %j', async (faults, status) => {
  const { outcomes, placed } = await dialForty(faults);
  expect(count(outcomes, status)).toBeGreaterThan(10);
  expect(placed).toBe(count(outcomes, 201));
  expect(placed + count(outcomes, status)).toBe(40);
});

test('fails the same requests in every run', async () => {
  const faults = { failAfterAccepting: 0.2, failBeforeAccepting: 0.2, tooManyRequests: 0.2 };
  const { outcomes } = await dialForty(faults);
  expect(new Set(outcomes)).toEqual(new Set([201, 500, 'closed', 503, 429]));
  expect((await dialForty(faults)).outcomes).toEqual(outcomes);
});

test('ends and transfers calls although the answer is lost, and answers every question', async () => {
  await using sandbox = await startFastSandbox({ faults: { failAfterAccepting: 1 } });
  expect(await dial(sandbox, '15551230103')).toBe(500);
  const live = await fetch(`${sandbox.apiUrl}/Account/${AUTH_ID}/Call/?status=live`, {
    headers: { authorization: `Basic ${Buffer.from(`${AUTH_ID}:${AUTH_TOKEN}`).toString('base64')}` },
  });
  const { calls } = (await live.json()) as { calls: string[] };
  expect(calls).toHaveLength(1);
  expect(await send(sandbox, 'DELETE', `Call/${calls[0]}/`)).toBe('closed');
  expect(sandbox.liveCalls).toBe(0);
  expect(await send(sandbox, 'DELETE', `Call/${calls[0]}/`)).toBe(404);
  expect(await dial(sandbox, 'nonsense')).toBe(400);
  expect(await send(sandbox, 'POST', `Application/${sandbox.applicationId}/`, {})).toBe(202);
});

test('counts how often each number was dialled', async () => {
  await using sandbox = await startFastSandbox();
  for (const to of ['15551230103', '+15551230103', '12025550102']) await dial(sandbox, to);
  expect(sandbox.placedCalls).toEqual(
    new Map([
      ['+15551230103', 2],
      ['+12025550102', 1],
    ]),
  );
});
