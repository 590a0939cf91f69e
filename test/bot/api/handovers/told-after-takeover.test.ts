import { deferred } from '../../../../src/base/async/deferred.js';
import type { EndReason } from '../../../../src/call/call.js';
import type { Handover } from '../../../../src/call/consult.js';
import { hurried } from '../../../hasty-clock.js';
import { callOn, FakeLink, Line, toneFrames, until } from './line.js';

hurried();

const RINGING: Handover = {
  to: '+12025550177',
  legId: 'leg-1',
  phase: 'ringing',
  warm: { brief: 'A caller.', accept: 'answer', hold: 'silence' },
};

/** The bot before this one has listed the caller's number and died in a transfer. */
async function takenOver(handover: Handover) {
  const [caller, colleague] = [await Line.open(), await Line.open()];
  const told: boolean[] = [];
  const runner = Object.assign(new FakeLink(), {
    handover,
    askedNotToBeCalled: { how: 'said', at: 1 } as const,
    tellDoNotCall: (isHeard: boolean) => void told.push(isHeard),
  });
  const answer = deferred<Line | EndReason>();
  runner.dial = () => answer.promise;
  const isWithBot = callOn(caller, runner).then(({ call }) => !call.isOver);
  return {
    caller,
    colleague,
    told,
    isWithBot,
    answers: (how: EndReason | 'answered') => answer.resolve(how === 'answered' ? colleague : how),
    async [Symbol.asyncDispose]() {
      for (const line of [caller, colleague]) await line[Symbol.asyncDispose]();
    },
  };
}

test('who does not want to be called again hears so from the next bot when they are with it, and not while they are held', async () => {
  await using it = await takenOver(RINGING);
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(it.caller.heard).toEqual([]);
  it.answers('no_answer');
  expect(await it.isWithBot).toBe(true);
  await until(() => it.told.length > 0, 'they are told');
  expect(it.told).toEqual([true]);
});

test('nor while they talk to the colleague', async () => {
  await using it = await takenOver({ to: RINGING.to, legId: 'leg-1', phase: 'bridged' });
  it.answers('answered');
  it.caller.says = toneFrames(400);
  await until(() => it.colleague.heard.length > 20, 'they talk');
  expect([it.caller.heard, it.told]).toEqual([[], []]);
  it.caller.hangUp();
  expect(await it.isWithBot).toBe(false);
});
