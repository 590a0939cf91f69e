import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { DoNotCallFile, doNotCallPath } from '../../src/runner/dialing/do-not-call/list-file.js';
import { RunnerOnSandbox } from '../runner/runner-on-sandbox.js';
import { FakeCaller } from '../sandbox/fake-caller.js';
import { until } from './processes.js';

const BOT = fileURLToPath(new URL('bots/do-not-call.ts', import.meta.url));
const CALLEE = '+12025550155';
const REFUSED = { code: 'VB_DO_NOT_CALL', hint: expect.stringContaining('npx voicebot do-not-call remove') };
const CONFIRMED = 'Your number is on our do-not-call list now. We will not call you again.';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-do-not-call-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const start = (transport: 'carrier' | 'rooms') =>
  RunnerOnSandbox.start({
    transport,
    botFile: BOT,
    standIns: true,
    recording: 'unless_refused',
    stateDirectory: home,
    isSandbox: true,
  });

const listOf = () => new DoNotCallFile(doNotCallPath(home, true));
const of = <Type extends TimelineEvent['type']>(stage: RunnerOnSandbox, type: Type) =>
  stage.noted.filter((event): event is Extract<TimelineEvent, { type: Type }> => event.type === type);
const said = (stage: RunnerOnSandbox) =>
  of(stage, 'said').flatMap(({ speaker, text }) => (speaker === 'bot' ? [text] : []));

const request = (body = {}) => ({ phoneNumber: CALLEE, body, parameters: {} });

describe.each(['carrier', 'rooms'] as const)('on %s a callee who asks not to be called again', (transport) => {
  test('in words is on the list before the bot says so, and no call goes to them until they are taken off', async () => {
    await using stage = await start(transport);
    await using callee = await FakeCaller.attending(stage.sandbox, CALLEE);
    const { callId } = await stage.runner.dial(request());
    await until(() => said(stage).includes('Hello.'), 'the bot has said hello', 60_000);
    let wasListed: boolean | undefined;
    const watch = setInterval(() => {
      if (wasListed === undefined && of(stage, 'saying').some(({ text }) => CONFIRMED.startsWith(text)))
        wasListed = listOf().get(CALLEE) !== undefined;
    }, 1);
    const typed = { method: 'POST', body: '{"text":"No thanks. Please do not call me again."}' };
    expect((await stage.ask(`/calls/${callId}/typed`, typed)).status).toBe(202);
    await until(() => said(stage).join(' ').includes(CONFIRMED), 'it is confirmed', 60_000);
    clearInterval(watch);
    expect(wasListed).toBe(true);
    expect(listOf().get(CALLEE)).toMatchObject({ how: 'said', callId });
    expect(listOf().entries()).toHaveLength(1);
    expect(of(stage, 'do_not_call')).toMatchObject([{ how: 'said', outcome: 'listed' }]);
    const told = () => stage.records.all.findLast(({ id }) => id === callId)?.doNotCall?.toldAt;
    await until(() => told() !== undefined, 'the record says that they were told');
    callee.client.hangUp();
    await callee.events.next(({ type }) => type === 'ended', 60_000);

    await expect(stage.runner.dial(request())).rejects.toMatchObject(REFUSED);
    const answer = await stage.ask('/start', { method: 'POST', body: JSON.stringify({ phone_number: CALLEE }) });
    expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'VB_DO_NOT_CALL' } }]);
    await listOf().remove([CALLEE]); // by another process: it is seen at once
    await expect(stage.runner.dial(request())).resolves.toMatchObject({ callId: expect.any(String) });
  }, 180_000);

  test('with the key is on the list, once, however often it is pressed', async () => {
    await using stage = await start(transport);
    await using callee = await FakeCaller.attending(stage.sandbox, CALLEE);
    const { callId } = await stage.runner.dial(request());
    await until(() => said(stage).includes('Hello.'), 'the bot has said hello', 60_000);
    callee.client.press('9');
    callee.client.press('9');
    await until(() => said(stage).join(' ').includes(CONFIRMED), 'it is confirmed', 60_000);
    expect(listOf().entries()).toMatchObject([{ number: CALLEE, how: 'pressed', callId }]);
    expect(of(stage, 'do_not_call')).toHaveLength(1);
  }, 180_000);

  test('is told so by the next bot, where the first dies before it can say it', async () => {
    await using stage = await start(transport);
    await using callee = await FakeCaller.attending(stage.sandbox, CALLEE);
    const { callId } = await stage.runner.dial(request({ dies: true }));
    await until(() => said(stage).includes('Hello.'), 'the bot has said hello', 60_000);
    callee.client.press('9');
    await until(() => said(stage).join(' ').includes(CONFIRMED), 'the next bot has confirmed it', 90_000);
    expect(listOf().get(CALLEE)).toMatchObject({ how: 'pressed', callId });
    expect(of(stage, 'do_not_call')).toHaveLength(1);
    expect(of(stage, 'bot_assigned')).toHaveLength(2);
  }, 180_000);
});
