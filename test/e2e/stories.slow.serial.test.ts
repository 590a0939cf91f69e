import { testScenarios } from './tested-scenarios.js';

test('crashes of bots pass as told in scenarios/crashes.yaml, the last one over each carrier', async () => {
  const outcome = await testScenarios(['test/e2e/scenarios/crashes.yaml'], ['--carrier', 'all']);
  expect(outcome).toEqual({ exitCode: 0, passed: 4, notRun: 0, failed: [] });
}, 180_000);

test.each([
  ['built-in', [], 5],
  ['browser', ['--name', 'a menu'], 2], // what else differs by the client is shown by the runner's calls in rooms
])(
  'menus in rooms pass as told in scenarios/room-menus.yaml, where bots join with the %s client',
  async (client, selection, passed) => {
    // More at once, and two cores hold up the sound.
    const options = ['--transport', 'rooms', '--at-once', '2', ...selection];
    const outcome = await testScenarios(['test/e2e/scenarios/room-menus.yaml'], options, { ROOMS_CLIENT: client });
    expect(outcome).toEqual({ exitCode: 0, passed, notRun: 0, failed: [] });
  },
  180_000,
);
