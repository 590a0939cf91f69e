import * as pipeline from '../../src/doors/pipeline.js';
import * as provider from '../../src/doors/provider.js';
import * as services from '../../src/doors/services.js';
import * as voicebot from '../../src/index.js';
import { read } from './repository.js';

const { exports } = JSON.parse(read('package.json'));

test('the package has one door for bot files, and one each for pipelines, providers, services, applications and tests', () => {
  expect(Object.keys(exports)).toEqual([
    '.',
    './pipeline',
    './provider',
    './services',
    './embed',
    './testing',
    './package.json',
  ]);
});

test.each([
  ['./pipeline', pipeline],
  ['./provider', provider],
  ['./services', services],
] as const)('a name that voicebot has as well is the same behind %s', async (door, module) => {
  const all: Readonly<Record<string, unknown>> = voicebot;
  for (const [name, value] of Object.entries(module)) expect(all[name] ?? value).toBe(value);
  const built = await import(`voicebot${door.slice(1)}`);
  expect(Object.keys(built).sort()).toEqual(Object.keys(module).sort());
});

test('voicebot has what a bot file needs and the classes of the specification, no more than 40 names that run', () => {
  const names = Object.keys(voicebot);
  expect(names).toEqual(expect.arrayContaining(['acceptCall', 'defineBot', 'endCall', 'transferTo', 'VoicebotError']));
  expect(names).toEqual(expect.arrayContaining(['RoomsTransport', 'WebSocketTransport', 'CarrierFrameSerializer']));
  expect(names.length).toBeLessThanOrEqual(40);
});
