import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProgramToKill } from '../../program-to-kill.js';
import { RunnerUnderTest } from '../../runner/runner-under-test.js';
import { PATIENCE_MS } from '../conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Rig } from '../conformance/rig.js';
import { greeted } from '../conformance/story.js';

jest.setTimeout(60_000);

const program = (name: string, args: readonly string[], environment: Record<string, string>) =>
  new ProgramToKill(new URL(name, import.meta.url), args, environment);

let stateDirectory: string;
beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-killed-'));
});
afterEach(() => rmSync(stateDirectory, { recursive: true, force: true }));

test.each(CARRIERS)(
  'at $name a caller whose runner is killed talks on to the same bot, and after that to one of the next runner',
  async (played: PlayedCarrier) => {
    await using rig = await Rig.of(played, { stateDirectory });
    const next = rig.tap.target;
    const caller = await rig.phone();
    const environment = { CREDENTIALS: JSON.stringify(played.credentials(rig.sandbox.apiUrl)) };
    const args = [played.name, rig.tap.url, stateDirectory];
    {
      await using killed = program('runner-to-kill.ts', args, environment);
      rig.tap.target = await killed.lines.next((line) => line.startsWith('http:'), PATIENCE_MS);
      caller.dial('+12025550121');
      await killed.lines.next((line) => line.startsWith('{"event":"greeted"'), PATIENCE_MS);
      rig.tap.target = next;
    }
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
  await using rig = await Rig.of(played);
  const { line, id } = await greeted(rig, '+12025550122');
  const { apiUrl } = rig.sandbox;
  const { authId } = played.credentials(apiUrl);
  const account = JSON.stringify({ carrier: played.name, authId, apiUrl });
  {
    await using killed = program('hangup-ower.ts', [stateDirectory, id], { ACCOUNT: account });
    await killed.lines.next((line) => line === 'owed', PATIENCE_MS);
  }
  await using next = new RunnerUnderTest({
    carrier: played.carrier,
    credentials: played.credentials(apiUrl),
    stateDirectory,
  });
  await next.runner.start();
  await line.ended();
  expect(await rig.over(id)).toMatchObject({ attempt: 1 });
});
