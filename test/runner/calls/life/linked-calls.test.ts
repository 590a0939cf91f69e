import { asCallId } from '../../../../src/call/call-id.js';
import type { BotCall } from '../../../../src/runner/bots/bot-call.js';
import { LinkedCalls } from '../../../../src/runner/calls/life/linked-calls.js';
import type { CallLife } from '../../../../src/runner/calls/life/phase.js';

const OWN = asCallId('call-1');
const LEG = asCallId('out_1');

/** A call that was dialled beside another one, whose bot's process has an earlier bot of it for so many looks. */
function waiting(looks: number) {
  const lives = new Map([
    [OWN, { terms: { id: OWN }, phase: { is: 'talking', bot: 1 } }],
    [LEG, { terms: { id: LEG, linkedTo: OWN }, phase: { is: 'starting', entry: 2, isAssigning: true } }],
  ] as never) as Map<string, CallLife>;
  const bot = { isOver: false } as BotCall;
  let asked = 0;
  const assigned: number[] = [];
  const calls = new LinkedCalls({
    pool: {
      assignBeside: (_, __, hand) => {
        asked += 1;
        if (asked > 10) throw new Error('it is asked for ever');
        if (asked <= looks) return false;
        hand(bot);
        return true;
      },
    },
    lives: () => lives.values(),
    lifeOf: (id) => lives.get(id),
    botOf: () => bot,
    happen: () => {},
    assigned: (_, entry) => void assigned.push(entry),
  });
  return { calls, assigned, asked: () => asked };
}

test('while the process of the other bot cannot take it, a linked call waits until it is looked again', () => {
  const { calls, assigned, asked } = waiting(2);
  calls.wantsBot(LEG, 2);
  expect(asked()).toBe(1);
  calls.look();
  expect({ asked: asked(), assigned }).toEqual({ asked: 2, assigned: [] });
  calls.look();
  calls.look();
  expect({ asked: asked(), assigned }).toEqual({ asked: 3, assigned: [2] });
});
