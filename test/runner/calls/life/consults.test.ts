import type { CallRecord } from '../../../../src/call/call-record.js';
import type { CallEvent } from '../../../../src/runner/calls/life/call-events.js';
import { CallRegistry } from '../../../../src/runner/calls/life/call-registry.js';
import { Consults } from '../../../../src/runner/calls/life/consults.js';
import type { CallLife } from '../../../../src/runner/calls/life/phase.js';
import { callIn, EVENTS } from './call-lives.js';

const TO = '+12025550177';
const US = '+12025550100';
const CONSULT = { do: 'consult', bot: 1, request: 1, to: TO, ringSeconds: 20 } as const;

/** A call whose bot consults, and the calls beside it. */
class ConsultsUnderTest {
  readonly registry = new CallRegistry();
  readonly lives = new Map<string, CallLife>();
  readonly told: CallEvent[] = [];
  dialled = 0;
  readonly consults = new Consults<{ readonly id: string }>({
    registry: this.registry,
    supervisor: {
      happen: (_id, event) => void this.told.push(event),
      legsOf: () => [...this.lives.keys()],
      lifeOf: (id) => this.lives.get(id),
    },
    checkTarget: async (to) => to,
    callerIdOf: () => US,
    dial: async ({ linkedTo, to, from }) => {
      this.dialled += 1;
      const callId = `leg-${this.dialled}`;
      this.registry.open({ id: callId, direction: 'outbound', from, to, linkedTo, state: 'dialling' });
      this.lives.set(callId, callIn('talking').life);
      return { callId } as never;
    },
  });

  constructor() {
    this.registry.open({ id: 'main', direction: 'inbound', from: '+12025550142', to: US, state: 'ringing' });
  }

  /** @returns the call that the bot was given */
  async consult(): Promise<string | undefined> {
    await this.consults.ask({ id: 'main' }, CONSULT);
    const answer = this.told.findLast(({ type }) => type === 'consulted') as { leg?: Pick<CallRecord, 'id'> };
    return answer.leg?.id;
  }
}

test('a number that is on the line is not dialled again', async () => {
  const under = new ConsultsUnderTest();
  expect([await under.consult(), await under.consult(), under.dialled]).toEqual(['leg-1', 'leg-1', 1]);
});

test('a number whose call is about to end is dialled again', async () => {
  const under = new ConsultsUnderTest();
  await under.consult();
  under.lives.set('leg-1', callIn('talking').happen({ ...EVENTS.stream_over, outcome: 'bot_ended' } as CallEvent).life);
  expect([await under.consult(), under.dialled]).toEqual(['leg-2', 2]);
});

test('where three calls go on beside one no other is dialled; one that is about to end does not count', async () => {
  const under = new ConsultsUnderTest();
  for (const no of [1, 2, 3]) under.lives.set(`other-${no}`, callIn('talking').life);
  for (const id of under.lives.keys())
    under.registry.open({ id, direction: 'outbound', from: US, to: `+1202555018${id.at(-1)}`, state: 'dialling' });
  expect(await under.consult()).toBeUndefined();
  expect(under.told.at(-1)).toMatchObject({ problem: { code: 'VB_DIAL_LIMIT' } });
  under.lives.set(
    'other-2',
    callIn('talking').happen(EVENTS.bot_ends_for, { ...EVENTS.stream_over, outcome: 'bot_ended' } as CallEvent).life,
  );
  expect(await under.consult()).toBe('leg-1');
});
