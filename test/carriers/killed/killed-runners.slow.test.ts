import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { RunnerUnderTest } from '../../runner/runner-under-test.js';
import { Inbox } from '../../sandbox/inbox.js';
import { PATIENCE_MS } from '../conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Rig } from '../conformance/rig.js';
import { greeted } from '../conformance/story.js';

const LOADER = new URL('../../jest/loader.mjs', import.meta.url).href;

jest.setTimeout(60_000);

/** Runs a program, and kills it when something has happened. @param happens is given the lines that it writes, as they come */
async function killedWhen(
  program: string,
  args: readonly string[],
  environment: Record<string, string>,
  happens: (lines: Inbox<string>) => Promise<unknown>,
): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--import', LOADER, fileURLToPath(new URL(program, import.meta.url)), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env.PATH, ...environment } },
  );
  const exit = once(child, 'exit');
  const lines = new Inbox<string>();
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  try {
    await happens(lines);
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

let stateDirectory: string;
beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-killed-'));
});
afterEach(() => rmSync(stateDirectory, { recursive: true, force: true }));

test.each(CARRIERS)(
  'at $name a caller whose runner is killed talks on to the same bot, and after that to one of the next runner',
  async (played: PlayedCarrier) => {
    await using rig = await Rig.start(played, { stateDirectory });
    const next = rig.tap.target;
    const caller = await rig.phone();
    const environment = { CREDENTIALS: JSON.stringify(played.credentials(rig.sandbox.apiUrl)) };
    const args = [played.name, rig.tap.url, stateDirectory];
    await killedWhen('runner-to-kill.ts', args, environment, async (lines) => {
      rig.tap.target = await lines.next((line) => line.startsWith('http:'), PATIENCE_MS);
      caller.dial('+12025550121');
      await lines.next((line) => line.startsWith('{"event":"greeted"'), PATIENCE_MS);
      rig.tap.target = next;
    });
    caller.press('2');
    expect(await caller.hearsKeys('12#')).toBe('12#');
    caller.press('7'); // which ends its process
    const { id, attempt } = await rig.serves('+12025550121');
    expect(attempt).toBe(2);
    await rig.hears(id, 'greeted');
    caller.press('1');
    expect(await rig.over(id)).toMatchObject({
      direction: 'inbound',
      from: '+12025550121',
      attempt: 2,
      endReason: 'bot_ended',
    });
  },
);

// The request that ends a call at each carrier is shown in its test/providers/*/rest.test.ts.
test('a runner ends the call whose end one that was killed owed', async () => {
  const [played] = CARRIERS as [PlayedCarrier];
  await using rig = await Rig.start(played);
  const { line, id } = await greeted(rig, '+12025550122');
  const { apiUrl } = rig.sandbox;
  const { authId } = played.credentials(apiUrl);
  const account = JSON.stringify({ carrier: played.name, authId, apiUrl });
  await killedWhen('hangup-ower.ts', [stateDirectory, id], { ACCOUNT: account }, (lines) =>
    lines.next((line) => line === 'owed', PATIENCE_MS),
  );
  await using next = new RunnerUnderTest({
    carrier: played.carrier,
    credentials: played.credentials(apiUrl),
    stateDirectory,
  });
  await next.runner.start();
  await line.ended();
  expect(await rig.over(id)).toMatchObject({ attempt: 1 });
});
