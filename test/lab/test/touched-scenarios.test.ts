import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { readScenarioFiles, type ScenarioParts } from '../../../src/lab/test/scenario-files.js';
import { TouchedScenarios } from '../../../src/lab/test/touched-scenarios.js';

let folder: string;
const path = (name: string) => join(folder, name);
const wav = (samples: number) => encodeWav({ sampleRate: 8_000, channels: [new Int16Array(samples)], encoding: 'L16' });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-touched-'));
  writeFileSync(path('one.mjs'), "export { bot } from './part.mjs';\n");
  writeFileSync(path('part.mjs'), 'export const bot = () => {};\n');
  writeFileSync(path('two.mjs'), 'export const bot = () => {};\n');
  for (const name of ['said.wav', 'heard.wav']) writeFileSync(path(name), wav(800));
  writeFileSync(
    path('a.yaml'),
    '- name: plays\n  bot: one.mjs\n  caller: [{ repeat: [{ play: said.wav }] }]\n- name: other\n  bot: two.mjs\n',
  );
  writeFileSync(path('b.yaml'), 'name: listens\nbot: two.mjs\nexpect: { sound: heard.wav }\n');
  writeFileSync(path('c.yaml'), 'name: of the project\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function touchedBy(...names: string[]) {
  const files = ['a.yaml', 'b.yaml', 'c.yaml'];
  const scenarios = await readScenarioFiles(files, folder);
  const touched = new TouchedScenarios(files, folder, path('project.mjs'));
  await touched.read(scenarios);
  const changed = new Set(names.map(path));
  return scenarios.filter((one) => touched.isTouched(one, changed)).map(({ name }) => name);
}

test.each([
  ['a file of scenarios: its own', ['a.yaml'], ['plays', 'other']],
  ['a bot: those of the bot', ['two.mjs'], ['other', 'listens']],
  ['what a bot imports: those of the bot', ['part.mjs'], ['plays']],
  ['a sound that the caller plays', ['said.wav'], ['plays']],
  ['a sound that the caller is to hear', ['heard.wav'], ['listens']],
  ['the bot of scenarios that name none', ['project.mjs'], ['of the project']],
  ['several files', ['said.wav', 'c.yaml'], ['plays', 'of the project']],
  ['another file: none', ['readme.md'], []],
])('%s', async (_, changed, names) => {
  expect(await touchedBy(...changed)).toEqual(names);
});

test.each([
  ['a folder that was asked for', (): string[] => [folder]],
  ['the folder that it runs in, where nothing was', (): string[] => []],
])('knows the scenarios that are new in %s', async (_, filesOf) => {
  const touched = new TouchedScenarios(filesOf(), folder, path('project.mjs'));
  await touched.read(await readScenarioFiles(filesOf(), folder).catch(() => []));
  expect(touched.changed()).toEqual([]);
  writeFileSync(path('new.scenario.yaml'), 'name: is new\nbot: two.mjs\n');
  writeFileSync(path('new.txt'), 'no scenario');
  expect(touched.changed()).toEqual([path('new.scenario.yaml')]);
});

test('what is saved while files of scenarios are read has changed afterwards, whether they are valid or not', async () => {
  writeFileSync(path('d.scenario.mjs'), "export { one } from './part.mjs';\n");
  const touched = new TouchedScenarios([], folder, path('project.mjs'));
  const parts: ScenarioParts = new Map();
  await expect(readScenarioFiles(['a.yaml', 'd.scenario.mjs'], folder, parts)).rejects.toThrow();
  writeFileSync(path('a.yaml'), 'name: saved meanwhile\nbot: two.mjs\n');
  writeFileSync(path('part.mjs'), 'export const one = 1;\n');
  touched.noteParts(parts);
  expect(touched.changed().sort()).toEqual([path('a.yaml'), path('part.mjs')]);

  const valid: ScenarioParts = new Map();
  const scenarios = await readScenarioFiles(['a.yaml'], folder, valid);
  const again = new TouchedScenarios([], folder, path('project.mjs'));
  writeFileSync(path('a.yaml'), 'name: and once more\nbot: two.mjs\n');
  await again.read(scenarios, valid);
  expect(again.changed()).toEqual([path('a.yaml')]);
  expect(again.changed(valid.get(path('a.yaml')))).toEqual([]); // nothing is looked at twice
});

test('knows which files are no longer as they were read', async () => {
  const touched = new TouchedScenarios(['a.yaml'], folder, path('project.mjs'));
  await touched.read(await readScenarioFiles(['a.yaml', 'b.yaml'], folder));
  expect(touched.changed()).toEqual([]);
  writeFileSync(path('heard.wav'), wav(801));
  writeFileSync(path('part.mjs'), 'export const bot = () => 1;\n');
  writeFileSync(path('project.mjs'), '');
  writeFileSync(path('c.yaml'), 'name: not read\n');
  expect(touched.changed().sort()).toEqual([path('heard.wav'), path('part.mjs')]);
});
