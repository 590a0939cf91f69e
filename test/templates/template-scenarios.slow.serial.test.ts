import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { TEMPLATE_NAMES, type TemplateName } from '../../src/cli/init/templates.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { testScenarios } from '../e2e/tested-scenarios.js';

/** The other carriers; over Plivo the clean room of `.ci/run` makes all these calls, in a project of each template. */
const CARRIER_OF: Readonly<Record<TemplateName, 'twilio' | 'telnyx'>> = {
  answer: 'telnyx',
  demo: 'twilio',
  dial: 'telnyx',
  echo: 'twilio',
  hello: 'telnyx',
  transfer: 'twilio',
};

const folder = mkdtempSync(join(tmpdir(), 'voicebot-template-scenarios-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the scenarios of a template once more, with the wire that they go over, and with their sounds beside them. @returns how many */
function put(template: TemplateName, wire: object, most?: number): number {
  const home = join(PACKAGE_ROOT, 'templates', template);
  for (const name of readdirSync(join(home, 'scenarios')).filter((one) => one.endsWith('.wav')))
    copyFileSync(join(home, 'scenarios', name), join(folder, name));
  const [file = ''] = readdirSync(join(home, 'scenarios')).filter((one) => one.endsWith('.yaml'));
  const { scenarios } = parse(readFileSync(join(home, 'scenarios', file), 'utf8'), { merge: true });
  const name = `${[template, ...Object.values(wire)].join('-')}.yaml`;
  const chosen: ReadonlyArray<{ readonly each?: readonly unknown[] }> = scenarios.slice(0, most);
  writeFileSync(join(folder, name), stringify({ bot: join(home, 'bot.ts'), ...wire, scenarios: chosen }));
  return chosen.reduce((sum, { each = [{}] }) => sum + each.length, 0);
}

test('the scenarios of each template pass over one of the other carriers, and the first of them, or all that hand callers over, in a room', async () => {
  const counts = TEMPLATE_NAMES.map(
    (template) =>
      put(template, { carrier: CARRIER_OF[template] }) +
      put(template, { transport: 'rooms' }, template === 'transfer' ? undefined : 1),
  );
  const outcome = await testScenarios([folder]);
  expect(outcome).toEqual({ exitCode: 0, passed: counts.reduce((sum, count) => sum + count), notRun: 0, failed: [] });
}, 600_000);
