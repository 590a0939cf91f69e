import type { CallDirection } from '../../../../src/call/call.js';
import { asCallId } from '../../../../src/call/call-id.js';
import { CallRegistry } from '../../../../src/runner/calls/life/call-registry.js';
import { isUndisclosed, unheard } from '../../../../src/runner/calls/life/undisclosed-calls.js';

const ID = asCallId('call_1');

function recordOf(direction: CallDirection, linkedTo?: string) {
  const registry = new CallRegistry();
  const linked = linkedTo === undefined ? {} : { linkedTo: asCallId(linkedTo) };
  registry.open({ id: ID, direction, from: '+12025550100', to: '+12025550101', state: 'connected', ...linked });
  return registry.get(ID);
}

test('the runner is silent in a call that is to begin with the disclosure, and in no call that was dialled beside another', () => {
  const [outbound, always] = [{ when: 'outbound' }, { when: 'always' }] as const;
  expect(isUndisclosed(recordOf('outbound'), outbound)).toBe(true);
  expect(isUndisclosed(recordOf('inbound'), outbound)).toBe(false);
  expect(isUndisclosed(recordOf('inbound'), always)).toBe(true);
  expect(isUndisclosed(recordOf('outbound'), { notNeeded: 'obvious' })).toBe(false);
  for (const declared of [outbound, always])
    expect(isUndisclosed(recordOf('outbound', 'call_0'), declared)).toBe(false);
  expect(isUndisclosed({ direction: 'outbound' }, outbound)).toBe(true); // one of which no more is known
  const record = recordOf('outbound');
  const heard = { text: 'Hello', from: 1, to: 2, evidence: 'acknowledged' } as const;
  expect(isUndisclosed(record && { ...record, disclosure: heard }, outbound)).toBe(false);
});

test('in place of a tone there is nothing, in place of an apology the end of the call, and a document with a stream has no words', () => {
  expect(unheard({ do: 'play_tone' } as never)).toEqual([]);
  expect(unheard({ do: 'answer', document: { is: 'apology' } } as never)).toMatchObject({ document: { is: 'hangup' } });
  expect(unheard({ do: 'answer', document: { is: 'stream', streamNo: 1 } } as never)).toMatchObject({
    document: { is: 'stream', streamNo: 1, isSilent: true },
  });
});
