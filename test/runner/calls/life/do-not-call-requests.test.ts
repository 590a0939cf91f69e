import { deferred } from '../../../../src/base/async/deferred.js';
import { asCallId } from '../../../../src/call/call-id.js';
import type { CallRecord } from '../../../../src/call/call-record.js';
import { BotCall } from '../../../../src/runner/bots/bot-call.js';
import type { MessageToBot } from '../../../../src/runner/bots/messages.js';
import { CallRegistry } from '../../../../src/runner/calls/life/call-registry.js';
import { DoNotCallRequests } from '../../../../src/runner/calls/life/do-not-call-requests.js';
import type { NumberToList } from '../../../../src/runner/dialing/do-not-call/do-not-call-list.js';

const ID = asCallId('out_1');

function setUp(call: { direction: 'inbound' | 'outbound'; from?: string; to: string }, fails?: Error) {
  const registry = new CallRegistry();
  registry.open({ id: ID, state: 'connected', ...call });
  const noted: unknown[] = [];
  registry.timelines.on('event', (_id, event) => event.type === 'do_not_call' && noted.push(event));
  const added: NumberToList[] = [];
  const disk = { isWritten: Promise.resolve() };
  const add = async (number: NumberToList) => {
    if (fails) throw fails;
    await disk.isWritten;
    added.push(number);
  };
  let tell: (message: MessageToBot) => void = () => {};
  const process = { begin: () => {}, send: (message: MessageToBot) => tell(message), abandon: () => {} };
  const bot = new BotCall(ID, process);
  const call_ = { id: ID, direction: call.direction, from: call.from, isWithheld: false, to: call.to, attempt: 1 };
  const room = { room_url: 'x', token: 'y', body: {}, past: { isForwarded: false, dialout: undefined } };
  bot.serve({ type: 'serve_room', call: call_, ...room, silenceMs: 0, ringMs: 1, limitMs: 1 });
  const requests = new DoNotCallRequests(registry, { add });
  requests.follow(ID, bot);
  const ask = (requestId: number) =>
    new Promise<MessageToBot>((resolve) => {
      tell = resolve;
      bot.receive({ type: 'do_not_call', requestId, how: 'said' });
    });
  const past = () => requests.pastOf(registry.get(ID) as CallRecord);
  return { registry, noted, added, bot, ask, disk, past };
}

test.each([
  ['who has called', { direction: 'inbound', from: '+12025550142', to: '+12025550100' }, '+12025550142'],
  ['who was called', { direction: 'outbound', from: '+12025550100', to: '+12025550101' }, '+12025550101'],
] as const)('the number is that of %s', async (_, call, number) => {
  const { registry, added, noted, bot, ask } = setUp(call);
  expect(await ask(7)).toMatchObject({ type: 'do_not_call_answer', requestId: 7, outcome: 'listed' });
  expect(added).toEqual([{ number, how: 'said', callId: ID }]);
  expect(noted).toMatchObject([{ how: 'said', outcome: 'listed' }]);
  expect(registry.get(ID)?.doNotCall).toEqual({ how: 'said', at: expect.any(Number) });
  bot.receive({ type: 'do_not_call_told', isHeard: true });
  expect(registry.get(ID)?.doNotCall).toMatchObject({ toldAt: expect.any(Number) });
});

test('the record keeps that nothing is to be said of it, and does not say that they were told', async () => {
  const { registry, bot, ask } = setUp({ direction: 'outbound', to: '+12025550101' });
  await ask(1);
  bot.receive({ type: 'do_not_call_told', isHeard: false });
  expect(registry.get(ID)?.doNotCall).toEqual({ how: 'said', at: expect.any(Number), isSettled: true });
});

test.each([
  ['withheld', undefined],
  ['no telephone number', 'sip:desk@example.com'],
])('a number that is %s is put on no list, and the bot is told', async (_, from) => {
  const { registry, added, ask } = setUp({ direction: 'inbound', ...(from && { from }), to: '+12025550100' });
  expect(await ask(1)).toMatchObject({ outcome: 'withheld' });
  expect(added).toEqual([]);
  expect(registry.get(ID)?.doNotCall).toBeUndefined();
});

test('what cannot be written down is told as such, and no record says that it was', async () => {
  const call = { direction: 'outbound', to: '+12025550101' } as const;
  const { registry, noted, ask } = setUp(call, new Error('no space left on device'));
  expect(await ask(1)).toMatchObject({ outcome: 'failed', problem: { code: 'VB_INTERNAL' } });
  expect(noted).toMatchObject([{ outcome: 'failed' }]);
  expect(registry.get(ID)?.doNotCall).toBeUndefined();
});

test('the bot that takes the call over while the number is being put on the list learns of the wish', async () => {
  const { ask, disk, past } = setUp({ direction: 'outbound', to: '+12025550101' });
  const written = deferred<void>();
  disk.isWritten = written.promise;
  expect(past()).toBeUndefined();
  const asked = ask(1);
  await Promise.resolve();
  expect(past()).toEqual({ how: 'said', isPending: true });
  written.resolve();
  await asked;
  expect(past()).toEqual({ how: 'said', at: expect.any(Number) });
});

test('a number that is on the list when the call is over already stands in its record', async () => {
  const { registry, bot, ask } = setUp({ direction: 'outbound', to: '+12025550101' });
  const asked = ask(1);
  registry.end(ID, 'caller_hung_up');
  expect(await asked).toMatchObject({ outcome: 'listed' });
  bot.receive({ type: 'do_not_call_told', isHeard: true });
  const doNotCall = { how: 'said', at: expect.any(Number), toldAt: expect.any(Number) };
  expect(registry.get(ID)).toMatchObject({ state: 'ended', doNotCall });
});
