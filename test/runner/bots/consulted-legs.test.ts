import type { RunnerArguments } from '../../../src/call/runner-arguments.js';
import { ConsultedLegs } from '../../../src/runner/bots/consulted-legs.js';
import type { FromBot, ServedCall } from '../../../src/runner/bots/messages.js';
import { settled } from '../call-races-harness.js';

const REQUEST = { to: '+12025550106', ringSeconds: 20 };
const LEG = {
  id: 'out_1',
  direction: 'outbound',
  from: '+12025550100',
  isWithheld: false,
  to: REQUEST.to,
  attempt: 1,
  linkedTo: 'call-1',
} as ServedCall;

/** The calls that a bot has had dialled, and what its process has told of them. */
class LegsUnderTest {
  readonly told: FromBot[] = [];
  isOrphan = false;
  readonly legs = new ConsultedLegs({ tell: (message) => void this.told.push(message), isOrphan: () => this.isOrphan });
  /** What was done to calls that are here. */
  readonly did: string[] = [];

  /** The runner has placed what was asked for last. */
  async consult() {
    const asked = this.legs.consult(REQUEST);
    const requestId = this.told.filter(({ type }) => type === 'consult').length;
    this.legs.hear({ type: 'consult_answer', requestId, leg: LEG });
    return await asked;
  }

  /** Its media is here. */
  host() {
    const reached = { args: {} as RunnerArguments, done: () => void this.did.push('done') };
    return this.legs.host(LEG.id, {
      reached,
      end: () => void this.did.push('end'),
      leave: () => void this.did.push('leave'),
    });
  }
}

test('a call is asked for, and reached when its media comes', async () => {
  const under = new LegsUnderTest();
  const { call, reached } = await under.consult();
  expect(under.told).toEqual([{ type: 'consult', requestId: 1, ...REQUEST }]);
  expect(call).toBe(LEG);
  under.host();
  expect(await reached).toMatchObject({ args: {} });
});

test('a call whose media is here already is reached at once', async () => {
  const under = new LegsUnderTest();
  under.host();
  expect(await (await under.consult()).reached).toMatchObject({ args: {} });
});

test('a call that is lost gives the reason, and may be asked for again', async () => {
  const under = new LegsUnderTest();
  const { reached } = await under.consult();
  under.legs.hear({ type: 'leg_lost', legId: LEG.id, reason: 'busy' });
  expect(await reached).toEqual({ reason: 'busy' });
  expect((await under.consult()).call).toBe(LEG);
});

test('a call that is over in the same moment as it is named gives the reason', async () => {
  for (const [happens, reason] of [
    [({ legs }: LegsUnderTest) => legs.hear({ type: 'leg_lost', legId: LEG.id, reason: 'busy' }), 'busy'],
    [({ legs }: LegsUnderTest) => legs.over(), 'bot_ended'],
  ] as const) {
    const under = new LegsUnderTest();
    const named = under.consult();
    happens(under);
    expect(await (await named).reached).toEqual({ reason });
  }
});

test('a refusal of the runner is that of the request', async () => {
  const { legs } = new LegsUnderTest();
  const asked = legs.consult(REQUEST);
  legs.hear({ type: 'consult_answer', requestId: 1, problem: { code: 'VB_DIAL_LIMIT', message: 'one too many' } });
  await expect(asked).rejects.toMatchObject({ code: 'VB_DIAL_LIMIT', message: 'one too many' });
});

test('a number that is called already is refused until that is over', async () => {
  const under = new LegsUnderTest();
  await under.consult();
  await expect(under.consult()).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
  under.host()(); // it was here, and is gone
  expect((await under.consult()).call).toBe(LEG);
});

test('a call is ended by the runner while it rings, and by the bot when its media is here', async () => {
  const under = new LegsUnderTest();
  const { end } = await under.consult();
  end();
  expect(under.told.at(-1)).toEqual({ type: 'end_leg', legId: LEG.id });
  under.host();
  end();
  expect(under.did).toEqual(['end']);
});

test.each([
  ['the call of the bot is over', (under: LegsUnderTest) => under.legs.over(), 'VB_STREAM_CLOSED'],
  ['the runner is gone', (under: LegsUnderTest) => under.legs.runnerGone(), 'VB_RUNNER_STOPPING'],
])('when %s, what is waited for comes to nothing', async (_when, happens, code) => {
  const under = new LegsUnderTest();
  const { reached } = await under.consult();
  const asked = under.legs.consult(REQUEST);
  happens(under);
  await expect(asked).rejects.toMatchObject({ code });
  expect(await reached).toHaveProperty('reason');
  under.isOrphan = true;
  await expect(under.legs.consult(REQUEST)).rejects.toMatchObject({ code });
});

test('the next bot gets the calls of one that has failed, and those of one that has ended its call end', async () => {
  for (const [goesOn, does] of [
    [true, 'leave'],
    [false, 'end'],
  ] as const) {
    const under = new LegsUnderTest();
    under.host();
    under.legs.left(goesOn);
    expect(under.did).toEqual([does]);
  }
});

test('a call that comes when the bot is done is left to the next one, or ended, as those before it', () => {
  for (const [goesOn, does] of [
    [true, 'leave'],
    [false, 'end'],
  ] as const) {
    const under = new LegsUnderTest();
    expect(under.legs.isLeft).toBe(false);
    under.legs.left(goesOn);
    under.host();
    expect({ did: under.did, isLeft: under.legs.isLeft }).toEqual({ did: [does], isLeft: true });
  }
});

test('without a runner no other bot is there: the calls are left to the bot that has them', async () => {
  const under = new LegsUnderTest();
  under.host();
  under.isOrphan = true;
  under.legs.left(true);
  await settled();
  expect(under.did).toEqual([]);
});
