import { ROOMS_CLIENTS } from '../runner/runner-on-sandbox.js';
import { testScenarios } from './tested-scenarios.js';

test('crashes of bots pass as told in scenarios/crashes.yaml, over each carrier', async () => {
  const outcome = await testScenarios(['test/e2e/scenarios/crashes.yaml'], ['--at-once', '3']);
  expect(outcome).toEqual({ exitCode: 0, passed: 6, notRun: 0, failed: [] });
}, 180_000);

test.each(ROOMS_CLIENTS)(
  'menus in rooms pass as told in scenarios/room-menus.yaml, where bots join with the %s client',
  async (client) => {
    // More at once, and two cores hold up the sound.
    const outcome = await testScenarios(['test/e2e/scenarios/room-menus.yaml'], ['--at-once', '2'], {
      ROOMS_CLIENT: client,
    });
    expect(outcome).toEqual({ exitCode: 0, passed: 5, notRun: 0, failed: [] });
  },
  180_000,
);
