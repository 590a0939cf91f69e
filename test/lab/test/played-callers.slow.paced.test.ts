import { testScenarios } from '../../e2e/tested-scenarios.js';

test('a caller and a judge that are models decide in a whole call, and say why', async () => {
  const { failed, ...outcome } = await testScenarios(['test/lab/test/played/played.scenario.ts']);
  expect(outcome).toEqual({ exitCode: 1, passed: 1, notRun: 0 });
  expect(failed).toEqual([
    [
      'a caller who does not succeed, in a call that is judged badly',
      'plivo',
      [
        expect.objectContaining({ field: 'caller', happened: 'closed, they say' }),
        expect.objectContaining({
          field: 'judge',
          happened: expect.stringContaining('the bot says that it is closed'),
        }),
      ],
    ],
  ]);
}, 120_000);
