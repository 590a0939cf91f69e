import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readYamlScenarios } from '../../src/lab/scenario/yaml-scenarios.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

const PAGE = readFileSync(join(PACKAGE_ROOT, 'docs/testing.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = '']) => yaml);

test('every scenario in the documentation is one', async () => {
  expect(EXAMPLES.length).toBeGreaterThan(1);
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-scenario-examples-'));
  writeFileSync(join(folder, 'booked.ts'), ''); // which one of them names
  for (const [at, yaml] of EXAMPLES.entries()) {
    const file = join(folder, `${at}.yaml`);
    writeFileSync(file, yaml);
    const { problems, scenarios } = await readYamlScenarios(file);
    expect(problems).toEqual([]);
    expect(scenarios).not.toEqual([]);
  }
});
