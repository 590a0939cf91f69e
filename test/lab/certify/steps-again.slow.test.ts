import { join } from 'node:path';
import { Accounts, SHARED_NUMBER } from '../../e2e/accounts.js';
import { Voicebot } from '../../e2e/voicebot.js';
import { CALLER } from '../../sandbox/fake-caller.js';

const READY_MS = 60_000;

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.open();
}, 30_000);
afterAll(() => accounts[Symbol.asyncDispose]());

const optionsOf = () => ({
  home: accounts.home,
  cwd: accounts.home,
  environment: { ...accounts.environment(SHARED_NUMBER), CARRIER: 'plivo' },
});

/** Calls when it is asked to. @param hangsUp as soon as the bot has the call, before it has said anything */
async function callWhenAsked(tour: Voicebot, hangsUp: boolean): Promise<void> {
  const asked = await tour.event('please', { do: 'call' }, READY_MS);
  const phone = await accounts.call(asked.number);
  if (!hangsUp) return;
  await tour.events.next(({ event, call }) => event === 'call' && call.state === 'connected', READY_MS);
  phone.client.hangUp();
}

test('who hangs up too early is asked once more, and is told how to play the step again, which then counts', async () => {
  const output = join(accounts.home, 'tour');
  const typed = ['certify', '--my-number', CALLER, '--only', 'bot-killed', '--output', output, '--port', '0', '--yes'];
  let next: string;
  {
    await using tour = new Voicebot(typed, optionsOf());
    await callWhenAsked(tour, true);
    const again = await tour.event('step_again', { step: 'bot-killed' }, READY_MS);
    expect(again.why).toContain('the call was over too early');
    await callWhenAsked(tour, true);
    const over = await tour.event('step_over', { step: 'bot-killed' }, READY_MS);
    expect(over).toMatchObject({ state: 'failed', why: again.why });
    expect(await tour.event('certified', {}, READY_MS)).toMatchObject({ certified: false, whole: false });
    const error = await tour.event('error', {}, READY_MS);
    expect(await tour.exit).toBe(8);
    expect(error.hint).toContain(`The table is differences.md in tour.`);
    next = error.next;
  }
  expect(next).toBe(`npx voicebot certify --my-number ${CALLER} --only bot-killed --port 0 --yes --json --resume tour`);
  {
    await using tour = new Voicebot(next.split(' ').slice(2, -3).concat('--resume', 'tour'), optionsOf());
    await callWhenAsked(tour, false);
    expect(await tour.event('step_over', { step: 'bot-killed' }, READY_MS)).toMatchObject({ state: 'done' });
    const { steps } = await tour.event('certified', {}, READY_MS);
    const played = steps.filter(({ state }: { state: string }) => state !== 'left out');
    expect(played).toEqual(['number', 'bot-killed', 'give-back'].map((name) => ({ name, state: 'done' })));
    await tour.exit;
  }
}, 180_000);
