import { randomUUID } from 'node:crypto';
import { signatureHeaders, upgradeSignatureHeaders } from '../../src/providers/plivo/signature.js';
import { AUTH_TOKEN, callParameters, send, startCall, upgradeStatus } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

jest.setTimeout(60_000);

test('callers beyond what a tunnel carries hear that it is busy, which is said once', async () => {
  await using served = await RunnerUnderTest.start(IN_PROCESS);
  const { runner, carrier } = served;
  runner.maxCalls = 1;
  const stream = await carrier.call();
  for (let caller = 0; caller < 5; caller += 1) {
    const { verbs, answer } = await carrier.answer();
    expect(verbs).toEqual(['Hangup']);
    expect(answer.body).toContain('reason="busy"');
  }
  expect(served.problems.all[0]).toBe('call turned away: the tunnel is full (at most 1 at once)');
  expect(served.problems.all.length).toBeLessThan(3); // and a sum after 10 s
  expect(await startCall(runner)).toMatchObject({ status: 429, body: { error: { code: 'VB_DIAL_LIMIT' } } });
  await carrier.hangup(stream.callId);
  await served.record(stream.callId, { state: 'ended' });
  expect((await carrier.answer()).verbs).toEqual(['Stream', 'Redirect']);
});

test('any number of callers is served where no limit is known', async () => {
  await using served = await RunnerUnderTest.start(IN_PROCESS);
  for (let caller = 0; caller < 20; caller += 1) expect((await served.carrier.answer()).verbs).toContain('Stream');
  expect(served.problems.all).toEqual([]);
});

describe('what comes late by a former name of the tunnel', () => {
  const FORMER = 'https://former.example.com';

  const started = async () => {
    const served = await RunnerUnderTest.start({ ...IN_PROCESS, publicUrl: FORMER, isTunnelled: true });
    const document = await served.carrier.answer();
    const { callId } = document;
    served.runner.reach.lost();
    served.runner.reach.back('https://new.example.com');
    const tell = (address: string, more: Record<string, string>, signedFor = address) => {
      const form = Object.entries(callParameters(callId, more));
      return send(address.replace(FORMER, served.runner.url), {
        method: 'POST',
        headers: {
          ...signatureHeaders({ method: 'POST', url: signedFor, form }, AUTH_TOKEN),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(form).toString(),
      });
    };
    return { served, document, tell };
  };

  test('is understood, and answered with the new one', async () => {
    const { served, document, tell } = await started();
    await using _ = served;
    expect(document.verbs).toEqual(['Stream', 'Wait', 'Speak', 'Wait', 'Redirect']);
    const resumed = await tell(document.verb('Redirect').text, { Event: 'Redirect' });
    expect(resumed.body).toContain('wss://new.example.com/ws');
    expect(resumed.body).not.toContain(FORMER);
    expect((await tell(`${FORMER}/hangup`, { Event: 'Hangup', HangupSource: 'Caller' })).status).toBe(200);
    expect(await served.record(document.callId, { state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
  });

  test('is refused when it is signed for a name that never was ours', async () => {
    const { served, tell } = await started();
    await using _ = served;
    const strangers = 'https://stranger.example.com/hangup';
    expect((await tell(`${FORMER}/hangup`, { Event: 'Hangup' }, strangers)).status).toBe(403);
  });

  test('is connected when it is a stream', async () => {
    const { served, document } = await started();
    await using _ = served;
    const { streamUrl } = document;
    const local = streamUrl.replace('wss://former.example.com', served.runner.url.replace('http', 'ws'));
    expect(await upgradeStatus(local, upgradeSignatureHeaders(streamUrl, AUTH_TOKEN))).toBe(101);
    expect(await upgradeStatus(local, upgradeSignatureHeaders(local, AUTH_TOKEN))).not.toBe(101);
    expect(await upgradeStatus(`${local}${randomUUID()}`)).toBe(403);
  });
});
