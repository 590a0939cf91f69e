import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { Voicebot } from '../../e2e/voicebot.js';

const SCENARIOS = join(PACKAGE_ROOT, 'templates/answer/scenarios');

/** Tests the template `answer`, in a folder that keeps what it leaves. */
async function run(home: string, ...args: string[]) {
  await using voicebot = new Voicebot(['test', SCENARIOS, ...args], { home, cwd: home });
  const exitCode = await voicebot.exit;
  return { exitCode, events: voicebot.events.all };
}

test('leaves pages of a test and its calls, and tells what no scenario touches, which fails below a limit', async () => {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-test-output-'));
  const { exitCode, events } = await run(home, '--output', 'results', '--coverage-min', '95');
  expect(events.find(({ event }) => event === 'test_ended')).toMatchObject({ passed: 2, failed: 0 });
  expect(exitCode).toBe(1);
  const coverage = events.find(({ event }) => event === 'coverage');
  expect(coverage?.bots).toHaveLength(1);
  expect(coverage?.bots[0].kinds).toMatchObject({
    function: { touched: 3, of: 3 },
    transfer: { touched: 1, of: 2 },
    key: { touched: 0, of: 1 },
  });
  const untouched = coverage?.bots[0].untouched.map(({ name }: { name: string }) => name);
  expect(untouched).toEqual(expect.arrayContaining(['Are you still there?', 'answered', '0', 'transferred']));
  expect(untouched).not.toContain('How can I help you?');

  const folder = join(home, 'results');
  expect(readdirSync(folder).sort()).toEqual(['calls', 'index.html', 'junit.xml', 'results.jsonl']);
  expect(readdirSync(join(folder, 'calls')).sort()).toEqual(['1-1.html', '2-1.html']);
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(index).toContain('2 passed');
  expect(index).toContain(`Coverage: ${coverage?.percent} %`);
  const page = readFileSync(join(folder, 'calls', '1-1.html'), 'utf8');
  expect(page).toContain('"audio":"UklGR');
  expect(page).toContain('"botFile":"bot.ts"');
  expect(readFileSync(join(folder, 'junit.xml'), 'utf8')).toMatch(
    /<property name="wire" value="plivo"\/>.*<system-err>/s,
  );
  expect(JSON.parse(readFileSync(join(folder, 'results.jsonl'), 'utf8'))).toMatchObject({
    passed: 2,
    coverage: coverage?.percent,
  });

  const again = await run(home, '--output', 'results', '--name', 'Sunday', '--coverage');
  expect(again.exitCode).toBe(0);
  expect(readdirSync(join(folder, 'calls'))).toEqual(['1-1.html']);
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('passed in 2 of the last 2 tests');
}, 240_000);
