import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { inTerminal, inTerminals } from '../../cli/in-terminal.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { Voicebot } from '../../e2e/voicebot.js';

/** At a time: the callers of these tests wait for a bot that says one sentence, however busy the machine is. */
const ONE_CALL = ['--at-once', '1'];

/** A bot that says these words and ends the call. */
const says = (words: string) => `import { defineBot, flite } from 'voicebot';
export default defineBot({ tts: flite(), async onCall(call) { await call.say('${words}'); } });\n`;

/** A project: `one.mjs` and `two.mjs` say good evening. */
function projectWith(files: Readonly<Record<string, string>>): string {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-chosen-'));
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(PACKAGE_ROOT, join(home, 'node_modules', 'voicebot'));
  const bots = { 'one.mjs': says('Good evening everybody.'), 'two.mjs': says('Good evening everybody.') };
  for (const [name, text] of Object.entries({ ...bots, ...files })) writeFileSync(join(home, name), text);
  return home;
}

async function run(home: string, ...args: string[]) {
  await using voicebot = new Voicebot(['test', 'all.yaml', ...ONE_CALL, ...args], { home, cwd: home });
  const exitCode = await voicebot.exit;
  const { all } = voicebot.events;
  const namesOf = (name: string) => all.filter(({ event }) => event === name).map((one) => one.name as string);
  return { exitCode, all, namesOf, end: all.find(({ event }) => event === 'test_ended') };
}

test('enough failures keep the rest from running; what failed runs alone the next time, and all where nothing failed', async () => {
  const scenarios = (third: string) => `bot: one.mjs
scenarios:
  - { name: first, expect: { heard: good evening } }
  - { name: not today, skip: no back end, expect: { heard: nothing } }
  - { name: third, expect: { heard: ${third} } }
  - { name: fourth, runs: 2, expect: { heard: good evening } }\n`;
  const home = projectWith({ 'all.yaml': scenarios('good morning') });

  const bailed = await run(home, '--bail', '--junit', 'junit.xml');
  expect(bailed.exitCode).toBe(1);
  expect(bailed.namesOf('scenario')).toEqual(['first', 'third']);
  expect(bailed.all).toContainEqual(
    expect.objectContaining({ event: 'scenario_skipped', name: 'not today', reason: 'no back end' }),
  );
  const left = bailed.all.find(({ event }) => event === 'scenario_not_run');
  expect(left).toMatchObject({ name: 'fourth', kind: 'bailed', reason: '--bail 1: 1 scenario has failed' });
  expect(bailed.end).toMatchObject({ passed: 1, failed: 1, notRun: 1, skipped: 1, calls: 2 });
  expect(readFileSync(join(home, 'junit.xml'), 'utf8')).toMatch(/tests="4" failures="1" errors="0" skipped="2"/);

  writeFileSync(join(home, 'all.yaml'), scenarios('good evening'));
  const again = await run(home, '--failed');
  expect(again.exitCode).toBe(0);
  expect(again.namesOf('scenario')).toEqual(['third']);

  const all = await run(home, '--failed');
  expect(all.exitCode).toBe(0);
  expect(all.all).toContainEqual(
    expect.objectContaining({ event: 'problem', message: 'nothing failed last time: all are run' }),
  );
  expect(all.namesOf('scenario').sort()).toEqual(['first', 'fourth', 'third']);

  const empty = await run(home, '--shard', '4/4');
  expect(empty.exitCode).toBe(0);
  expect(empty.end).toMatchObject({ passed: 0, failed: 0, calls: 0 });
}, 240_000);

test('each row of a table is a call', async () => {
  const home = projectWith({
    'all.yaml': `name: hears \${words}
bot: one.mjs
each: [{ words: good evening }, { words: good morning }]
expect: { heard: "\${words}" }\n`,
  });
  const { exitCode, all } = await run(home);
  expect(exitCode).toBe(1);
  const results = all.filter(({ event }) => event === 'scenario').map(({ name, passed }) => [name, passed]);
  expect(results.sort()).toEqual([
    ['hears good evening', true],
    ['hears good morning', false],
  ]);
}, 120_000);

test('a saved file runs what it touches; what leaves nothing to run is told, and watching goes on', async () => {
  const home = projectWith({
    'all.yaml': '- { name: of one, bot: one.mjs }\n- { name: of two, bot: two.mjs }\n',
  });
  await using voicebot = new Voicebot(['test', 'all.yaml', '--watch', '--name', '/^of/', ...ONE_CALL], {
    home,
    cwd: home,
  });
  const testedNext = async () => {
    const { scenarios } = await voicebot.event('test_began', {}, 60_000);
    await voicebot.event('test_ended', { passed: scenarios.length }, 60_000);
    return scenarios.map(({ name }: { name: string }) => name);
  };
  expect(await testedNext()).toEqual(['of one', 'of two']);
  writeFileSync(join(home, 'two.mjs'), says('Good morning everybody.'));
  expect(await testedNext()).toEqual(['of two']);
  writeFileSync(join(home, 'all.yaml'), '- { name: off one, bot: one.mjs, skip: true }\n');
  await voicebot.event('problem', {}, 60_000);
  writeFileSync(join(home, 'all.yaml'), '[]\n');
  expect(await voicebot.event('problem', { code: 'VB_SCENARIO_INVALID' }, 60_000)).toBeDefined();
  writeFileSync(join(home, 'all.yaml'), '- { name: of three, bot: one.mjs }\n');
  expect(await testedNext()).toEqual(['of three']);
}, 240_000);

test('a new file of scenarios in a watched folder is tested, and nothing else is', async () => {
  const home = projectWith({ 'one.scenario.yaml': '{ name: of one, bot: one.mjs }\n' });
  await using voicebot = new Voicebot(['test', '--watch', ...ONE_CALL], { home, cwd: home });
  await voicebot.event('test_ended', { passed: 1 }, 60_000);
  writeFileSync(join(home, 'two.scenario.yaml'), '{ name: of two, bot: two.mjs }\n');
  const { scenarios } = await voicebot.event('test_began', {}, 60_000);
  expect(scenarios).toMatchObject([{ name: 'of two' }]);
  await voicebot.event('test_ended', { passed: 1 }, 60_000);
}, 240_000);

inTerminals(
  'keys choose what is tested while it waits and while calls go on (needs script)',
  async () => {
    const home = projectWith({
      'all.yaml': `- { name: good, bot: one.mjs, expect: { heard: good evening } }
- { name: bad, bot: one.mjs, expect: { heard: good morning } }\n`,
    });
    const { PATH, HOME } = process.env;
    const shown = await inTerminal(
      `'${process.execPath}' '${PACKAGE_ROOT}bin/voicebot.js' test all.yaml --watch ${ONE_CALL.join(' ')}; echo "exit $?"`,
      async (terminal) => {
        /** Waits for what is shown from now on. */
        const next = async (act: () => void, ...texts: string[]) => {
          terminal.shown = '';
          act();
          for (const text of texts) await terminal.shows(text, 60_000);
        };
        await next(() => {}, 'Testing 2 scenarios', '1 passed', '1 failed', 'h shows the keys');
        await next(() => terminal.type('?'), 'Enter  run the same again');
        await next(() => terminal.type('f'), 'Testing 1 scenario', '1 failed: 1 call', 'h shows the keys');
        await next(() => terminal.type('p'), 'Names with');
        await next(() => terminal.type('/^go/\r'), 'Testing 1 scenario', '1 passed: 1 call', 'h shows the keys');
        await next(() => terminal.type('\r'), 'Testing 1 scenario');
        await next(() => terminal.type('p'), 'Ending the calls', 'Names with');
        await next(() => terminal.type('goood\r'), 'nearest: "good"', 'h shows the keys');
        await next(() => terminal.type('p'), 'Names with');
        await next(() => terminal.type('\x1b'), 'Testing 2 scenarios');
        await next(() => terminal.type('q'), 'exit 130');
      },
      { cwd: home, env: { PATH, HOME, VOICEBOT_HOME: home, TERM: 'xterm', NO_COLOR: '1' } },
    );
    expect(stripVTControlCharacters(shown)).toContain('exit 130');
  },
  240_000,
);
