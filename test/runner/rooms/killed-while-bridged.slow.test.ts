import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive, until } from '../../e2e/processes.js';
import { ProgramToKill } from '../../program-to-kill.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';
import { hum } from '../../sandbox/rooms/live-rooms-under-test.js';
import { testsAtOnce } from '../../tests-at-once.js';
import { testSandbox } from '../runner-on-sandbox.js';
import type { Told } from '../runner-under-test.js';
import { COLLEAGUE, expectGoesOn, hearsSound, loudest, SOUNDS, soundFile } from './consulting.js';

const PATIENCE_MS = 60_000;
/** How long the two go on, in frames of 20 ms. */
const GO_ON = 250;

async function goesOn(hangsUp: 'caller' | 'colleague'): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-killed-'));
  const sandbox = await testSandbox();
  const { apiUrl, roomsApiUrl, number } = sandbox;
  const options = {
    botFile: fileURLToPath(new URL('bots/consulting.ts', import.meta.url)),
    environment: { COLLEAGUE, HOLD_FILE: soundFile(folder, 'music') },
    stateDirectory: join(folder, 'state'),
  };
  try {
    await using runner = new ProgramToKill(new URL('consulting-runner-to-kill.ts', import.meta.url), [
      JSON.stringify({ apiUrl, roomsApiUrl, number }),
      JSON.stringify(options),
    ]);
    const tells = async (event: string): Promise<Told> =>
      JSON.parse(await runner.lines.next((line) => line.startsWith(`{"event":"${event}"`), PATIENCE_MS));
    await runner.lines.next((line) => line.startsWith('http:'), PATIENCE_MS);
    await using colleague = await FakeCaller.attending(sandbox, COLLEAGUE, { ringMs: 300 });
    await using caller = await FakeCaller.attach(sandbox);
    caller.says = hum(SOUNDS.caller);
    colleague.says = hum(SOUNDS.colleague);
    caller.dial(sandbox);
    const { pid } = await tells('serves');
    await tells('greeted');
    caller.client.press('1');
    await tells('briefed');
    colleague.client.press('9');
    await tells('left');
    const bothHear = () => Promise.all([hearsSound(caller, 'colleague'), hearsSound(colleague, 'caller')]);
    await bothHear();
    const from = [caller.heard.all.length, colleague.heard.all.length] as const;
    await runner.end('SIGKILL');
    await until(() => colleague.heard.all.length > from[1] + GO_ON, 'they go on for a while', PATIENCE_MS);
    await bothHear();
    expectGoesOn(caller, 'colleague', from[0]);
    expectGoesOn(colleague, 'caller', from[1]);
    expect(loudest(caller, 'briefing')).toBeLessThan(600);
    const phones = { caller, colleague };
    phones[hangsUp].client.hangUp();
    await phones[hangsUp === 'caller' ? 'colleague' : 'caller'].ended();
    await until(() => sandbox.liveCalls === 0, 'no call is left', PATIENCE_MS);
    await until(() => !isAlive(pid), "the bot's process has ended", PATIENCE_MS);
    expect(sandbox.placedCalls.get(COLLEAGUE)).toBe(1);
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true });
  }
}

testsAtOnce(
  {
    'two who are bridged go on when the runner dies; the colleague hangs up, and the caller is not left in the line':
      () => goesOn('colleague'),
    'two who are bridged go on when the runner dies; the caller hangs up, and the colleague is not left in the line':
      () => goesOn('caller'),
  },
  300_000,
);
