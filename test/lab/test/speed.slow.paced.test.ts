import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { Voicebot } from '../../e2e/voicebot.js';

const ANSWER = join(PACKAGE_ROOT, 'templates/answer/bot.ts');
const SCENARIOS = `
bot: ${ANSWER}
scenarios:
- name: holds
  caller: [{ say: "When are you open on Sunday?" }, { say: "Thank you, goodbye." }]
  model: &model
    - { when: open on Sunday, call: { opening_hours: { day: Sunday } } }
    - { after: opening_hours, say: We are closed on Sunday. }
    - { when: goodbye, call: { end_call: {} } }
  expect:
    heard: [Bluebird Bakery, closed on Sunday, Goodbye]
    understood: [open on Sunday, goodbye]
    tools: [{ name: opening_hours, input: { day: Sunday } }, end_call]
    end: bot_ended
    contextAsHeard: true
    nothingTwice: true
- name: does not hold
  caller: [{ say: "When are you open on Sunday?", during: Bluebird }]
  model: *model
  expect: { heard: open from nine, notHeard: closed, tools: [], end: bot_ended }
- name: has no answer
  caller: [{ say: "How much is the bread?" }]
  model: [{ when: never, say: x }]
- name: waits
  caller: [{ wait: 6s }, { hangUp: true }]
  model: []
  expect: { notHeard: closed, end: caller_hung_up }
- name: is timed
  caller: [{ wait: 3s }]
  model: []
  expect: { firstWordWithin: 20s }
`;

async function run(...options: string[]) {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-speed-'));
  writeFileSync(join(home, 'all.yaml'), SCENARIOS);
  await using voicebot = new Voicebot(['test', 'all.yaml', '--carrier', 'plivo', ...options], { home, cwd: home });
  const exitCode = await voicebot.exit;
  const events = voicebot.events.all;
  const ran = events.filter(({ event }) => event === 'scenario_ran');
  const failures = Object.fromEntries(
    ran.map(({ name, failures }) => [name, failures.map(({ field }: { field: string }) => field)]),
  );
  const speeds = Object.fromEntries(ran.map(({ name, speed }) => [name, speed]));
  const [began, ended] = ['test_began', 'test_ended'].map((name) => events.find(({ event }) => event === name));
  return { exitCode, failures, speeds, ran, began, ended, lines: voicebot.lines.all };
}

test('scenarios at speed end as they do in real time; what needs real time, and what failed, has it, and it is said', async () => {
  const real = await run();
  const fast = await run('--speed', '4');
  for (const { failures } of [real, fast]) {
    expect(failures).toEqual({
      holds: [],
      'does not hold': expect.arrayContaining(['heard', 'end']),
      'has no answer': ['model', 'end'],
      waits: [],
      'is timed': [],
    });
  }
  expect([real.exitCode, fast.exitCode]).toEqual([1, 1]);
  expect(fast.began).toMatchObject({ speed: 4, realTime: { 'times that must hold': 1 } });
  expect(fast.speeds).toMatchObject({ 'does not hold': 1, 'has no answer': 1, 'is timed': 1 });
  expect(real.speeds).toEqual({
    holds: undefined,
    'does not hold': undefined,
    'has no answer': undefined,
    waits: undefined,
    'is timed': undefined,
  });
  // How many were late is up to the machine; the two that fail are made again in any case, and none else beside those.
  const { late, failed } = fast.ended?.repeated ?? {};
  expect(late + failed).toBe(fast.ran.filter(({ atSpeed }) => atSpeed).length);
  for (const { name, speed, atSpeed } of fast.ran)
    if (name === 'holds' || name === 'waits')
      expect(speed === 4 || atSpeed.late !== undefined || atSpeed.failures.length > 0).toBe(true);
  const waits = fast.ran.find(({ name }) => name === 'waits');
  expect(waits?.lengthMs).toBeGreaterThan(5_500); // of the call, whatever the speed
}, 240_000);

test.each([['1'], ['9'], ['fast']])('a speed of %s is refused before any call', async (speed) => {
  const { exitCode, ran } = await run('--speed', speed);
  expect({ exitCode, ran }).toEqual({ exitCode: 2, ran: [] });
});
