import { join } from 'node:path';
import { firstSteps } from '../../../src/cli/first-steps.js';
import { noBotLine } from '../../../src/cli/run/no-bot.js';
import { PACKAGE_ROOT } from '../voicebot.js';

test.each([
  ['a folder of its own', '/nowhere', 'npx voicebot init my-bot'],
  ['the clone of voicebot', PACKAGE_ROOT, 'npx voicebot init ../my-bot'],
  ['a folder of the clone', join(PACKAGE_ROOT, 'templates'), 'npx voicebot init ../../my-bot'],
])('in %s a project is made beside it, and never in the clone', async (_where, directory, command) => {
  expect(noBotLine(directory)).toMatch(new RegExp(`with: ${command}$`));
  expect(await firstSteps({ directory, environment: {} })).toContain(`${command} `);
});
