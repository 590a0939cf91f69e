import { hurried } from '../../../hasty-clock.js';
import { callOn, FakeLink, Hum, Line, until } from './line.js';
import { Ears } from './warm-scene.js';

hurried();

test('a bridge with ears tells who has said what, and no conversation takes it for an answer', async () => {
  await using caller = await Line.open();
  await using line = await Line.open();
  Ears.all = [];
  const runner = new FakeLink();
  runner.dial = () => line;
  const { call } = await callOn(caller, runner, { tts: () => new Hum(), stt: () => new Ears() });
  const callersEars = Ears.all.at(-1);
  const colleague = await call.consult('+12025550177');
  const bridge = await call.bridge(colleague, { listen: true });
  const said: unknown[] = [];
  bridge.on('transcript', ({ party, text }) => said.push([party, text]));
  bridge.on('dtmf', ({ party, digit }) => said.push([party, digit]));
  callersEars?.hear('Where is my order?');
  await until(() => said.length === 1, 'the caller is understood');
  Ears.all.at(-1)?.hear('It is on its way.');
  await until(() => said.length === 2, 'the colleague is understood');
  line.press('3');
  await until(() => said.length === 3, 'the key is told');
  expect(said).toEqual([
    ['caller', 'Where is my order?'],
    ['colleague', 'It is on its way.'],
    ['colleague', '3'],
  ]);
  caller.hangUp();
  await Promise.all([call.ended, colleague.ended]);
});
