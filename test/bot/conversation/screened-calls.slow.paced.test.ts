import { CallStage } from './call-stage.js';

/** Numbers of the sandbox where a screening assistant answers; behind the first one a person comes on. */
const [COMES_ON, STAYS_AWAY] = ['+12025550106', '+12025550109'];
const REASON = 'Bluebird Bakery, about your cake.';
const waits = (waitMs: number) => ({ message: 'Your order is ready', screening: { reason: REASON, waitMs } });

let stage: CallStage;

beforeAll(async () => {
  stage = await CallStage.start({
    scenes: {
      'comes on': {
        number: COMES_ON,
        texts: [
          'Please say your name and why you are calling.',
          'Thank you. Please hold while I connect you.',
          'Hello?',
          'Yes, this is a good time.',
          'How can I help you?',
        ],
        replies: { text: 'You have ordered a cake.', toolCalls: [{ name: 'end_call', input: {} }] },
        bot: waits(30_000),
      },
      'stays away': {
        number: STAYS_AWAY,
        texts: [
          "Hi, if you record your name and reason for calling, I'll see if this person is available.",
          'Thanks. Stay on the line.',
        ],
        replies: { text: 'I see.' },
        bot: waits(6_000),
      },
    },
  });
}, 60_000);

afterAll(() => stage[Symbol.asyncDispose]());

const statuses = (name: string) => stage.told(name, 'screening').map(({ data }) => data);

test('a person behind a screening assistant is greeted, and knows nothing of what that was told', async () => {
  const scene = stage.scene('comes on');
  await stage.dial(scene);
  await scene.says('You have ordered a cake.', 40_000);
  expect(await stage.ended(scene)).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
  expect(scene.spoken).toMatch(/Bluebird Bakery, about your cake\..* Bakery\. .*You have ordered a cake\./);
  expect(scene.spoken.split(REASON)).toHaveLength(2);
  expect(statuses('comes on')).toEqual(['asked', 'person']);
  const asked = JSON.stringify(scene.model.requests.at(-1));
  expect(asked).toContain('Hello?');
  expect(asked).not.toContain('say your name');
  expect(asked).not.toContain('about your cake');
}, 90_000);

test('a call whose person does not come on ends as screened', async () => {
  const scene = stage.scene('stays away');
  await stage.dial(scene);
  expect(await stage.ended(scene)).toMatchObject({ endReason: 'screened', attempt: 1 });
  expect(scene.spoken.split(REASON)).toHaveLength(2);
  expect(scene.spoken).not.toContain('Your order is ready');
  expect(statuses('stays away')).toEqual(['asked', 'no_person']);
}, 90_000);
