import { transferTo } from '../../../../src/bot/api/index.js';
import type { CallTransferOptions } from '../../../../src/bot/api/transfer-options.js';
import { hurried } from '../../../hasty-clock.js';
import { amplitudeOf, FRAME, Hum, type Line, toneFrames, until } from './line.js';
import { BRIEF, Ears, isBack, scene, TO } from './warm-scene.js';

hurried();

const loudness = (pcm: Int16Array) => Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);

test('taken by a key: the two are connected, the caller has heard none of the briefing and the colleague no music', async () => {
  await using it = await scene();
  it.colleague.says = toneFrames(600);
  const { outcome } = await it.transfer({}, 'One moment please.');
  await until(() => it.caller.heard.length > 50, 'the caller hears music');
  const briefed = it.caller.heard.length;
  await until(() => it.colleague.heard.length > 40, 'it is briefed');
  it.colleague.press('1');
  expect(await outcome).toEqual({ status: 'answered', data: { toEndPoint: TO, sessionId: 'leg-1' } });
  it.caller.says = toneFrames(400);
  const from = { caller: it.caller.heard.length, colleague: it.colleague.heard.length };
  await until(() => it.colleague.heard.length > from.colleague + 60, 'they talk');
  const talk = (line: Line, at: number, hertz: number) => amplitudeOf(line.samples.subarray((at + 20) * FRAME), hertz);
  expect(talk(it.caller, from.caller, 600)).toBeGreaterThan(7_500);
  expect(talk(it.colleague, from.colleague, 400)).toBeGreaterThan(7_500);
  expect(amplitudeOf(it.caller.samples.subarray(briefed * FRAME), 1_000)).toBeLessThan(100);
  const briefing = it.colleague.samples.subarray(0, 30 * FRAME); // nothing but the voice
  expect(loudness(briefing) ** 2 - amplitudeOf(briefing, 1_000) ** 2 / 2).toBeLessThan(200 ** 2);
  expect(it.runner.told.map((told) => told?.phase)).toEqual(['ringing', 'briefing', 'bridged']);
  expect(it.runner.told[0]).toEqual({
    to: TO,
    legId: '',
    phase: 'ringing',
    warm: { brief: BRIEF, accept: 'key', key: '1', hold: 'music' },
  });
  expect(it.runner.told[1]).toMatchObject({ legId: 'leg-1', phase: 'briefing' });
  expect(it.outcomes).toEqual([expect.objectContaining({ status: 'answered', to: TO })]);
  it.caller.hangUp();
  expect(await it.call.ended).toBe('transferred');
});

test('need only answer: connected behind the briefing', async () => {
  await using it = await scene();
  const { outcome } = await it.transfer({ accept: 'answer' });
  expect(await outcome).toMatchObject({ status: 'answered' });
  expect(it.colleague.heard.length).toBeGreaterThanOrEqual(30);
});

test.each(['busy', 'no_answer', 'rejected', 'voicemail'] as const)(
  '%s: the caller is back, and told so',
  async (status) => {
    await using it = await scene();
    it.runner.dial = () => status;
    const said: string[] = [];
    const outcome = await it.call.transfer(TO, {
      warm: { brief: BRIEF, onDeclined: (what) => said.push(what.status) },
    });
    expect(outcome).toEqual({ status, detail: `its call has come to nothing: ${status}` });
    expect(said).toEqual([status]);
    expect(it.runner.told.at(-1)).toBeUndefined();
    await isBack(it);
  },
);

test('any other end of the ringing has failed', async () => {
  await using it = await scene();
  it.runner.dial = () => 'not_connected';
  expect(await it.call.transfer(TO, { warm: { brief: BRIEF, onDeclined: 'Sorry.' } })).toMatchObject({
    status: 'failed',
  });
  await isBack(it);
});

test('one who answers, and is gone before the bot is with them, has hung up', async () => {
  await using it = await scene();
  it.runner.dial = () => 'caller_hung_up';
  expect(await it.call.transfer(TO, { warm: { brief: BRIEF } })).toMatchObject({ status: 'hung_up' });
  await isBack(it);
});

test('another key declines', async () => {
  await using it = await scene();
  const { outcome } = await it.transfer({ accept: '#' });
  it.colleague.press('2');
  expect(await outcome).toEqual({ status: 'declined', detail: 'it has pressed 2' });
  await it.colleague.isClosed;
  await isBack(it);
});

test('no answer to the question: it is repeated once, and declined then', async () => {
  await using it = await scene();
  const { outcome } = await it.transfer();
  expect(await outcome).toEqual({ status: 'declined', detail: 'it has not answered what it was asked' });
  const said = 2 * (BRIEF.length + 'To take the call, press 1.'.length);
  expect(it.colleague.heard.length).toBeGreaterThanOrEqual(said);
  expect(it.colleague.heard.length).toBeLessThan(said + 20);
  await isBack(it);
});

test('hung up while it is briefed', async () => {
  await using it = await scene();
  const { outcome } = await it.transfer();
  it.colleague.hangUp();
  expect(await outcome).toEqual({ status: 'hung_up', detail: 'it hung up while it was briefed' });
  await isBack(it);
});

test('a machine is a voicemail, as soon as the ears know it', async () => {
  Ears.all = [];
  await using it = await scene({ tts: () => new Hum(), stt: () => new Ears() });
  const { outcome } = await it.transfer();
  Ears.all.at(-1)?.hear('You have reached the voicemail of Ann. Please leave a message after the tone.');
  expect(await outcome).toEqual({ status: 'voicemail', detail: 'a machine has answered' });
  await isBack(it);
});

test('a caller who hangs up while it rings, or while it is briefed, ends the call of the colleague', async () => {
  await using ringing = await scene();
  ringing.runner.dial = () => new Promise(() => {});
  const outcome = ringing.call.transfer(TO, { warm: { brief: BRIEF } });
  await until(() => ringing.runner.asked.length > 0, 'it rings');
  ringing.caller.hangUp();
  expect({ outcome: await outcome, ended: ringing.runner.ended }).toEqual({
    outcome: { status: 'caller_left' },
    ended: ['leg-1'],
  });

  await using briefed = await scene();
  const transfer = await briefed.transfer();
  briefed.caller.hangUp();
  expect(await transfer.outcome).toEqual({ status: 'caller_left' });
  await briefed.colleague.isClosed;
});

test('a spoken yes takes it, a spoken no does not, in any of the languages; words before the question mean nothing', async () => {
  for (const [words, status] of [
    ['Ja, bitte.', 'answered'],
    ['Non merci.', 'declined'],
  ] as const) {
    Ears.all = [];
    await using it = await scene({ tts: () => new Hum(), stt: () => new Ears() });
    const { outcome } = await it.transfer({ accept: 'spoken yes' });
    Ears.all.at(-1)?.hear('Yes, hello?');
    await until(() => it.colleague.heard.length > BRIEF.length + 10, 'it is asked');
    Ears.all.at(-1)?.hear('Who is this?');
    await until(() => it.colleague.heard.length > BRIEF.length + 20, 'it has not been taken');
    expect(it.outcomes).toEqual([]);
    Ears.all.at(-1)?.hear(words);
    expect(await outcome).toEqual(expect.objectContaining({ status }));
  }
});

test('two at once: the second to the same number joins, another is refused', async () => {
  await using it = await scene();
  const { outcome } = await it.transfer();
  const second = it.call.transfer('+1 (202) 555-0177', { warm: { brief: 'Other words' } });
  expect(await it.call.transfer('+12025550178', { warm: { brief: BRIEF } })).toMatchObject({
    status: 'refused',
    code: 'VB_TRANSFER_FAILED',
  });
  expect(await it.call.transfer(TO)).toMatchObject({ status: 'refused', code: 'VB_TRANSFER_FAILED' });
  it.colleague.press('1');
  expect(await second).toEqual(await outcome);
  expect(it.runner.asked).toHaveLength(1);
});

test('while a cold one is announced, or rings, a warm one is refused', async () => {
  await using it = await scene();
  const cold = it.call.transfer('+12025550178', { announce: 'I will connect you.' });
  await until(() => it.caller.heard.length > 5, 'the caller hears the announcement');
  const refusal = {
    status: 'refused',
    code: 'VB_TRANSFER_FAILED',
    detail: expect.stringContaining('another transfer'),
  };
  expect(await it.call.transfer(TO, { warm: { brief: BRIEF } })).toMatchObject(refusal);
  await until(() => it.runner.cold.length > 0, 'the carrier is asked');
  expect(await it.call.transfer(TO, { warm: { brief: BRIEF } })).toMatchObject(refusal);
  it.runner.cold[0]?.reject(new Error('no cold transfer here'));
  expect(await cold).toMatchObject({ status: 'refused', detail: 'no cold transfer here' });
  expect(it.runner.asked).toEqual([]);
  const { outcome } = await it.transfer({ accept: 'answer' }); // it is over
  expect(await outcome).toMatchObject({ status: 'answered' });
});

test('what the runner refuses is told as refused, and the caller is with the bot', async () => {
  await using it = await scene();
  it.runner.dial = () => {
    throw new Error('the guard');
  };
  expect(await it.call.transfer(TO, { warm: { brief: BRIEF } })).toMatchObject({
    status: 'refused',
    detail: 'the guard',
  });
  expect(it.runner.told.at(-1)).toBeUndefined();
  await isBack(it);
});

test('bad options are refused at the door, all of them at once', async () => {
  await using it = await scene();
  const warm = { brief: ' ', accept: '12', ringSeconds: 3, hold: '', onDeclined: 7, loud: true };
  const refusal = await it.call.transfer(TO, { warm, cold: 1 } as never).catch((error) => error);
  expect(refusal.code).toBe('VB_REQUEST_INVALID');
  for (const name of [
    'cold',
    'warm.loud',
    'warm.brief',
    'warm.accept',
    'warm.ringSeconds',
    'warm.hold',
    'warm.onDeclined',
  ])
    expect(refusal.message).toContain(name);
  await expect(
    it.call.transfer(TO, { warm: { brief: { prompt: 'Sum it up' }, accept: 'spoken yes' } }),
  ).rejects.toThrow(/prompt needs a conversation with a model.*spoken yes needs ears/);
  expect(it.runner.asked).toEqual([]);
});

test('by the tool: the model is told why the call was not taken, and stays with the caller; bad options are refused at once', async () => {
  await using it = await scene();
  it.runner.dial = () => 'busy';
  expect(() => transferTo(TO, { warm: { brief: '', accept: 'nod' } as never })).toThrow(
    /warm.brief must have words.*warm.accept/,
  );
  const transfer = (to: string, options?: CallTransferOptions) => it.call.transfer(to, options);
  const tool = transferTo(TO, { warm: { brief: BRIEF }, onResult: () => {} }).bind('colleague', {
    transfer,
    speak: () => {},
    doNotCall: async () => 'listed' as const,
  });
  const { signal } = new AbortController();
  const ended: string[] = [];
  const context = {
    call: { id: '1', name: 'colleague', input: {} },
    signal,
    say: async () => {},
    spoken: async () => {},
    endTurn: () => ended.push('turn'),
    endCall: () => ended.push('call'),
  };
  expect(await tool.execute({}, context)).toMatchObject({ transferred: false, reason: 'the line is busy' });
  it.runner.dial = () => it.colleague;
  const result = tool.execute({}, context);
  await until(() => it.colleague.heard.length > 5, 'the colleague is briefed');
  it.colleague.press('1');
  expect(await result).toEqual({ transferred: true });
  expect(ended).toEqual(['turn']); // the call goes on by this process
});
