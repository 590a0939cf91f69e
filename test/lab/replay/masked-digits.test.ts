import { withMaskedDigits } from '../../../src/lab/replay/masked-digits.js';
import type { ScenarioOptions } from '../../../src/lab/scenario/scenario-options.js';

const masked = (options: Omit<ScenarioOptions, 'name'>) => {
  const { name: _, ...rest } = withMaskedDigits({ name: 'call 4711', ...options });
  return rest;
};

test('numbers of three digits or more are zeros in words, inputs and results', () => {
  expect(
    masked({
      caller: [{ say: 'My PIN is 4711, for two.' }, { say: 'It is 4 7 1 1 in 24 hours.', after: '1500ms' }],
      model: [{ when: 'my PIN is 4711', call: { balance: { pin: '4711', no: 4711, tries: 2 } } }],
      expect: { tools: [{ name: 'balance', input: { pin: '4711' }, result: { amount: 1250 } }], keysReceived: '4711#' },
    }),
  ).toEqual({
    caller: [{ say: 'My PIN is 0000, for two.' }, { say: 'It is 0 0 0 0 in 24 hours.', after: '1500ms' }],
    model: [{ when: 'my PIN is 0000', call: { balance: { pin: '0000', no: 0, tries: 2 } } }],
    expect: { tools: [{ name: 'balance', input: { pin: '0000' }, result: { amount: 0 } }], keysReceived: '0000#' },
  });
});

test('keys of a menu stay, a PIN does not, however slowly it was pressed', () => {
  const steps = [{ press: '1' }, { press: '4 w0.35 7 w1.20 1 1 #' }, { press: '12' }] as const;
  expect(masked({ caller: steps }).caller).toEqual([
    { press: '1' },
    { press: '0 w0.35 0 w1.20 0 0 #' },
    { press: '12' },
  ]);
});

test('telephone numbers, files, times and what has no digits stay', () => {
  const options: Omit<ScenarioOptions, 'name'> = {
    from: '+12025550142',
    caller: [{ play: 'sounds/1234.wav', during: 'hello', after: '2500ms' }],
    expect: { transfer: { to: '+12025550102' }, end: 'bot_ended' },
  };
  expect(masked(options)).toEqual(options);
});

test('keys of steps that follow each other are one number: all keys are masked then', () => {
  const slow = [{ press: '4' }, { press: '7' }, { wait: '4s' }, { press: '11' }] as const;
  expect(masked({ caller: slow }).caller).toEqual([{ press: '0' }, { press: '0' }, { wait: '4s' }, { press: '00' }]);
  const menu = [{ press: '1' }, { say: 'Hello?' }, { press: '12' }] as const;
  expect(masked({ caller: menu }).caller).toEqual(menu);
});
