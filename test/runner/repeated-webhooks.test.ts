import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.js';
import { signatureHeaders } from '../../src/providers/plivo/signature.js';
import { WebhookMemory } from '../../src/runner/calls/carrier/webhook-memory.js';
import { type Answer, AUTH_TOKEN, callParameters, type HttpRequest, send } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

/** Stays the same, whichever port a runner has. */
const PUBLIC_URL = 'https://bot.example.com';

let stateDirectory: string;
beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-repeated-'));
});
afterEach(() => rmSync(stateDirectory, { recursive: true, force: true }));

/** Another runner at the same address, with what earlier ones have left. */
const start = (logger = silentLogger) =>
  RunnerUnderTest.start({ ...IN_PROCESS, stateDirectory, publicUrl: PUBLIC_URL, logger });

/** A signed request of the carrier's, as a proxy may capture it. */
function captured(path: string, callId: string, event: Record<string, string>): HttpRequest & { path: string } {
  const form = Object.entries(callParameters(callId, event));
  return {
    path,
    method: 'POST',
    headers: {
      ...signatureHeaders({ method: 'POST', url: `${PUBLIC_URL}${path}`, form }, AUTH_TOKEN),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
  };
}
const answerOf = (callId: string = randomUUID()) => captured('/answer', callId, { Event: 'StartApp' });
const deliver = ({ runner }: RunnerUnderTest, request: HttpRequest & { path: string }): Promise<Answer> =>
  send(`${runner.url}${request.path}`, request);

describe('a captured webhook', () => {
  test('about a call that the runner before had when it crashed is refused', async () => {
    await using crashed = await start();
    const request = answerOf();
    expect((await deliver(crashed, request)).body).toContain('<Stream');
    await using later = await start();
    expect((await deliver(later, request)).status).toBe(403);
    expect(later.runner.liveCalls).toBe(0);
  });

  test("is logged with the carrier's identifier of its call, under that name", async () => {
    const callId = randomUUID();
    await using crashed = await start();
    const request = answerOf(callId);
    await deliver(crashed, request);
    const warn = jest.fn();
    await using later = await start({ ...silentLogger, warn });
    await deliver(later, request);
    expect(warn).toHaveBeenCalledWith(
      'webhook refused: it was answered before',
      expect.objectContaining({ providerCallId: callId }),
    );
  });

  test('of any kind is refused by a later runner', async () => {
    const callId = randomUUID();
    await using crashed = await start();
    await deliver(crashed, answerOf(callId));
    const resumed = captured('/resume', callId, { Event: 'Redirect' });
    await deliver(crashed, resumed);
    await using later = await start();
    expect((await deliver(later, resumed)).status).toBe(403);
  });

  test('about a call that has ended starts no call, even when the runner never saw it', async () => {
    const callId = randomUUID();
    const stopped = await start();
    await deliver(stopped, answerOf(callId));
    await deliver(stopped, captured('/hangup', callId, { Event: 'Hangup', HangupSource: 'Caller' }));
    await using later = await start();
    await using _ = stopped;
    for (const request of [answerOf(callId), captured('/resume', callId, { Event: 'Redirect' })]) {
      expect((await deliver(later, request)).body).toMatch(/<Response><Hangup\/><\/Response>/);
    }
    expect(later.runner.liveCalls).toBe(0);
  });
});

describe('a webhook that is genuine', () => {
  test('is answered again while its call goes on, for the answer may have got lost', async () => {
    await using served = await start();
    const request = answerOf();
    const first = await deliver(served, request);
    expect(await deliver(served, request)).toMatchObject({ status: 200, body: first.body });
  });

  test('is answered again when its call has ended meanwhile', async () => {
    const callId = randomUUID();
    await using served = await start();
    const request = answerOf(callId);
    await deliver(served, request);
    const hangup = captured('/hangup', callId, { Event: 'Hangup', HangupSource: 'Caller' });
    for (const _ of [1, 2]) expect((await deliver(served, hangup)).status).toBe(200);
    expect((await deliver(served, request)).body).toContain('<Hangup');
  });

  test('about a call of a runner that has crashed brings its caller to another bot', async () => {
    const callId = randomUUID();
    await using crashed = await start();
    await deliver(crashed, answerOf(callId));
    await using later = await start();
    expect((await deliver(later, captured('/resume', callId, { Event: 'Redirect' }))).body).toContain('<Stream');
  });
});

describe('what is remembered', () => {
  const DAY_MS = 24 * 60 * 60_000;
  const memoryAt = (now: number) => new WebhookMemory(stateDirectory, silentLogger, () => now);
  const noon = Date.UTC(2026, 0, 15, 12);

  test('is known to the next runner, and says nothing of calls', () => {
    memoryAt(noon).answered('a-nonce');
    memoryAt(noon).ended('a-call');
    const later = memoryAt(noon);
    expect(later.hasAnswered('a-nonce')).toBe(true);
    expect(later.hasEnded('a-call')).toBe(true);
    expect(later.hasEnded('a-nonce')).toBe(false);
    expect(readFileSync(join(stateDirectory, 'webhooks/2026-01-15'), 'utf8')).not.toMatch(/a-nonce|a-call/);
  });

  test('stays apart from what a crash cut off before it', () => {
    memoryAt(noon).answered('a-nonce');
    appendFileSync(join(stateDirectory, 'webhooks/2026-01-15'), 'half-a-mark');
    memoryAt(noon).answered('another');
    const later = memoryAt(noon);
    expect([later.hasAnswered('a-nonce'), later.hasAnswered('another')]).toEqual([true, true]);
  });

  test('is known for a day, and gone from the disk after two', () => {
    const running = memoryAt(noon);
    running.answered('a-nonce');
    expect(memoryAt(noon + DAY_MS).hasAnswered('a-nonce')).toBe(true);
    expect(memoryAt(noon + 2 * DAY_MS).hasAnswered('a-nonce')).toBe(false);
    expect(readdirSync(join(stateDirectory, 'webhooks'))).toEqual([]);
  });

  test('is forgotten by a runner that runs for days', () => {
    let now = noon;
    const running = new WebhookMemory(stateDirectory, silentLogger, () => now);
    for (const nonce of ['first', 'second', 'third']) {
      running.answered(nonce);
      now += DAY_MS;
    }
    running.answered('fourth');
    expect(['first', 'second', 'third', 'fourth'].map((nonce) => running.hasAnswered(nonce))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(readdirSync(join(stateDirectory, 'webhooks'))).toEqual(['2026-01-17', '2026-01-18']);
  });

  test('is kept until the runner stops where it cannot be written down, which is told once', () => {
    writeFileSync(join(stateDirectory, 'webhooks'), 'not a folder');
    const warned = jest.fn();
    const memory = new WebhookMemory(stateDirectory, { ...silentLogger, warn: warned }, () => noon);
    memory.answered('a-nonce');
    memory.ended('a-call');
    expect(memory.hasAnswered('a-nonce')).toBe(true);
    expect(warned).toHaveBeenCalledTimes(1);
  });
});
