import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { foundIn, writeFound } from '../../../src/lab/fuzz/found-mistakes.js';
import { FuzzBase } from '../../../src/lab/fuzz/fuzz-base.js';
import type { FuzzedCall } from '../../../src/lab/fuzz/fuzz-calls.js';
import type { Failure } from '../../../src/lab/scenario/call-story.js';
import type { StepOptions } from '../../../src/lab/scenario/scenario-options.js';
import { readYamlScenarios } from '../../../src/lab/scenario/yaml-scenarios.js';
import { runOf, scenarioOf } from '../test/results.js';

const target = {
  base: new FuzzBase(scenarioOf({ name: 'a', model: [{ when: '/yes|no/', say: 'Good.' }] }), 9_000),
  wire: 'plivo',
} as const;
const silent: Failure = { field: 'silentAtMost', expected: '9 s', happened: 'neither side was heard for 12 s' };
const ended: Failure = { field: 'end', expected: 'an end', happened: 'the call ended: bot_crashed' };
const fuzzed = (caller: readonly StepOptions[], ...mistakes: readonly Failure[]): FuzzedCall => ({
  target,
  call: { caller },
  name: `a random caller of ${caller.length} steps`,
  run: runOf(),
  mistakes,
});

test('a mistake is told once, with how many calls showed it, by the call of the fewest steps', () => {
  const [short, long] = [[{ press: '1' }], [{ press: '1' }, { say: 'Hello?' }]];
  const found = foundIn([
    fuzzed(long, silent, ended),
    fuzzed(short, silent),
    fuzzed(long),
    fuzzed(long, silent, silent),
  ]);
  expect(found.map(({ mistake, calls, shown }) => [mistake.field, calls, shown.call.caller.length])).toEqual([
    ['silentAtMost', 3, 1],
    ['end', 1, 2],
  ]);
});

test('it is written with the number of its caller, the wire that it was made over and its bot, its sounds where the file is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-fuzz-'));
  try {
    const [bot, sound] = [join(folder, 'bot.ts'), join(folder, 'hello.wav')];
    writeFileSync(bot, '');
    writeFileSync(sound, encodeWav({ sampleRate: 8_000, channels: [new Int16Array(80)], encoding: 'L16' }));
    const file = join(folder, 'fuzz', '7-1.yaml');
    const scenario = { ...scenarioOf({ name: 'a', from: '+12025550142', carrier: 'all' }), bot };
    const shown = {
      ...fuzzed([{ repeat: [{ play: sound }], times: 2 }], silent),
      target: { base: new FuzzBase(scenario, 9_000), wire: 'telnyx' },
    } as const;
    writeFound({ mistake: silent, shown, calls: 1 }, file, []);
    expect(readFileSync(file, 'utf8')).toContain('bot: ../bot.ts\n');
    expect(readFileSync(file, 'utf8')).toContain('play: ../hello.wav\n');
    const { scenarios, problems } = await readYamlScenarios(file);
    expect(problems).toEqual([]);
    expect(scenarios).toMatchObject([
      { bot, from: '+12025550142', carrier: 'telnyx', caller: [{ steps: [{ kind: 'play', file: sound }] }] },
    ]);
    const inRooms = { ...shown, target: { ...shown.target, wire: 'rooms' } } as const;
    writeFound({ mistake: silent, shown: inRooms, calls: 1 }, file, []);
    expect((await readYamlScenarios(file)).scenarios).toMatchObject([{ transport: 'rooms' }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('it is written as a scenario that can be read again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-fuzz-'));
  try {
    const file = join(folder, 'fuzz', '7-1.yaml');
    const shown = fuzzed([{ press: '12#', talkOver: true }, { wait: '300ms' }], silent);
    writeFound({ mistake: silent, shown, calls: 1 }, file, ['Found by\nrandom callers']);
    expect(readFileSync(file, 'utf8')).toMatch(/^# Found by random callers\nname: a random caller of 2 steps\n/);
    const { scenarios, problems } = await readYamlScenarios(file);
    expect(problems).toEqual([]);
    expect(scenarios).toMatchObject([
      {
        caller: [
          { kind: 'press', talkOver: true },
          { kind: 'wait', ms: 300 },
        ],
        expect: { silentAtMost: 9_000 },
      },
    ]);
    expect(scenarios[0]?.model).toHaveLength(2);
    expect(scenarios[0]?.expect.contextAsHeard).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
