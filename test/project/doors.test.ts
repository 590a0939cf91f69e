import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pipeline from '../../src/doors/pipeline.js';
import * as services from '../../src/doors/services.js';
import * as voicebot from '../../src/index.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

const { exports } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));

test('the package has one door for bot files, and one each for pipelines, services and tests', () => {
  expect(Object.keys(exports)).toEqual(['.', './pipeline', './services', './testing', './package.json']);
});

test.each([
  ['./pipeline', pipeline],
  ['./services', services],
] as const)('what %s has can be imported from voicebot, too, and is the same', async (door, module) => {
  const all: Readonly<Record<string, unknown>> = voicebot;
  for (const [name, value] of Object.entries(module)) expect(all[name]).toBe(value);
  const built = await import(`voicebot${door.slice(1)}`);
  expect(Object.keys(built).sort()).toEqual(Object.keys(module).sort());
});

test('a bot file needs few names of its own', () => {
  const elsewhere = [...Object.keys(pipeline), ...Object.keys(services)];
  const own = Object.keys(voicebot).filter((name) => !elsewhere.includes(name));
  expect(own).toEqual(expect.arrayContaining(['acceptCall', 'defineBot', 'endCall', 'transferTo', 'VoicebotError']));
  expect(own.length).toBeLessThanOrEqual(20);
});
