import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { read } from './repository.js';

const TYPEDOC = 'scripts/api-docs/node_modules/typedoc/bin/typedoc';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-api-docs-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** What TypeDoc says, as `npm run docs` calls it; rejects when it warns of anything. */
const typedoc = async (...options: string[]) =>
  promisify(execFile)(process.execPath, [TYPEDOC, '--options', 'scripts/api-docs/typedoc.json', ...options], {
    cwd: PACKAGE_ROOT,
  });

test('every name of the four doors is documented, and every link in its documentation leads somewhere', async () => {
  expect(JSON.parse(read('package.json')).scripts.docs).toContain(`node ${TYPEDOC} `);
  await typedoc('--out', directory);
  expect(readdirSync(join(directory, 'modules')).toSorted()).toEqual([
    'voicebot.html',
    'voicebot_pipeline.html',
    'voicebot_services.html',
    'voicebot_testing.html',
  ]);
  expect(readdirSync(join(directory, 'functions'))).toContain('voicebot.defineBot.html');
}, 120_000);

test('a name without documentation is found', async () => {
  await expect(typedoc('--entryPoints', 'src/base/http/rest-client.ts', '--emit', 'none')).rejects.toMatchObject({
    stderr: expect.stringMatching(/RequestObserver \(TypeAlias\).* does not have any documentation/),
  });
}, 120_000);
