import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunnerUnderTest } from '../../runner/runner-under-test.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Rig } from '../conformance/rig.js';
import { greeted } from '../conformance/story.js';

const LOADER = new URL('../../jest/loader.mjs', import.meta.url).href;

jest.setTimeout(60_000);

/** What is left of what a process has done when it was killed. */
async function killed(
  program: string,
  args: readonly string[],
  environment: Record<string, string>,
  until: (firstLine: string) => Promise<void> = async () => {},
): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--import', LOADER, fileURLToPath(new URL(program, import.meta.url)), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env.PATH, ...environment } },
  );
  const exit = once(child, 'exit');
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    await until(String(line).trim());
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  let stateDirectory: string;
  beforeEach(() => {
    stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-killed-'));
  });
  afterEach(() => rmSync(stateDirectory, { recursive: true, force: true }));

  test('a caller whose runner is killed talks to a bot of the next one', async () => {
    await using rig = await Rig.start(played, { stateDirectory });
    const next = rig.tap.target;
    const credentials = JSON.stringify(played.credentials(rig.sandbox.apiUrl));
    const caller = await new Promise<Awaited<ReturnType<Rig['call']>>>((resolve, reject) => {
      killed(
        'runner-to-kill.ts',
        [played.name, rig.tap.url, stateDirectory],
        { CREDENTIALS: credentials },
        async (url) => {
          rig.tap.target = url;
          const line = await rig.call('+12025550121');
          await line.hearsTone();
          rig.tap.target = next;
          resolve(line);
        },
      ).catch(reject);
    });
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
  });

  test('a runner ends the call whose end one that was killed owed', async () => {
    await using rig = await Rig.start(played);
    const { line, id } = await greeted(rig, '+12025550122');
    const { apiUrl } = rig.sandbox;
    const { authId } = played.credentials(apiUrl);
    const account = JSON.stringify({ carrier: played.name, authId, apiUrl });
    await killed('hangup-ower.ts', [stateDirectory, id], { ACCOUNT: account });
    await using next = new RunnerUnderTest({
      carrier: played.carrier,
      credentials: played.credentials(apiUrl),
      stateDirectory,
    });
    await next.runner.start();
    await line.ended();
    expect(await rig.over(id)).toMatchObject({ attempt: 1 });
  });
});
