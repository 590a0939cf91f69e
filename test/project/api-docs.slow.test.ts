import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { read } from './repository.js';

const TYPEDOC = 'scripts/api-docs/node_modules/typedoc/bin/typedoc';
const OPTIONS = 'scripts/api-docs/typedoc.json';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-api-docs-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Not public, and with a name that is not documented; none that the type of a public name could refer to. */
const UNDOCUMENTED = { file: 'src/base/audio/dtmf-keypad.ts', names: 'base/audio/dtmf-keypad.' };
const DOORS = [
  'src/index.ts',
  'src/doors/pipeline.ts',
  'src/doors/provider.ts',
  'src/doors/services.ts',
  'src/assembly/embed/index.ts',
  'src/lab/kit/index.ts',
];

test('every name of the five doors is documented, every link in its documentation leads somewhere, and a name without documentation is found', async () => {
  expect(JSON.parse(read('package.json')).scripts.docs).toContain(`node ${TYPEDOC} --options ${OPTIONS}`);
  const { entryPoints, treatWarningsAsErrors } = JSON.parse(read(OPTIONS));
  expect(entryPoints).toEqual(DOORS.map((door) => `../../${door}`));
  expect(treatWarningsAsErrors).toBe(true);
  const files = [...DOORS, UNDOCUMENTED.file].flatMap((file) => ['--entryPoints', file]);
  const words = ['--options', OPTIONS, ...files, '--treatWarningsAsErrors', 'false', '--out', directory];
  const { stderr } = await promisify(execFile)(process.execPath, [TYPEDOC, ...words], { cwd: PACKAGE_ROOT });
  const warnings = stderr.split('\n').filter((line) => /warning/.test(line) && !/Found \d+ errors/.test(line));
  expect(warnings.join('\n')).toMatch(/COLUMN_FREQUENCIES \(Variable\).* does not have any documentation/);
  expect(warnings.filter((line) => !line.includes(UNDOCUMENTED.names))).toEqual([]);
  expect(readdirSync(join(directory, 'modules'))).toEqual(
    expect.arrayContaining([
      'voicebot.html',
      'voicebot_pipeline.html',
      'voicebot_provider.html',
      'voicebot_services.html',
      'voicebot_testing.html',
    ]),
  );
  expect(readdirSync(join(directory, 'functions'))).toContain('voicebot.defineBot.html');
}, 180_000);
