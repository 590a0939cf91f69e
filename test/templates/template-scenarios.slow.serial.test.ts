import { TEMPLATE_NAMES } from '../../src/cli/init/templates.js';
import { testScenarios } from '../e2e/tested-scenarios.js';

test.each([
  ['each carrier', ['--carrier', 'all', '--at-once', '4'], 3],
  ['rooms', ['--transport', 'rooms', '--at-once', '2'], 1], // more at once, and two cores hold up the echo
])(
  'the scenarios of the templates pass over %s',
  async (_wires, options, wires) => {
    const folders = TEMPLATE_NAMES.map((name) => `templates/${name}/scenarios`);
    const outcome = await testScenarios(folders, options);
    expect(outcome).toEqual({ exitCode: 0, passed: 2 * TEMPLATE_NAMES.length * wires, notRun: 0, failed: [] });
  },
  400_000,
);
