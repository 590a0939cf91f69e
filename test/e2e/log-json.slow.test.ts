import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Voicebot } from './voicebot.js';

const BOT = 'test/e2e/bots/tells-all.ts';
/** What a log must not have: the numbers of both sides, what was pressed, said, and looked for. */
const PERSONAL = [/2025550143/, /2025550100/, /4711/, /moon|cheese|secret|bluebird/i, /hello/i];

describe('the log of a run for programs', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'voicebot-log-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  async function logOfCall(environment: Record<string, string> = {}) {
    const options = { home, environment };
    await using served = await Voicebot.serve(BOT, options, ['--stand-ins', '--log', 'json']);
    const words = ['--say', 'note my secret: the moon is made of cheese', '--dtmf', 'w3 4711 w3'];
    await using call = new Voicebot(['call', '--port', `${served.port}`, '--from', '+12025550143', ...words], options);
    expect(await call.exit).toBe(0);
    const { callId } = await call.event('ringing');
    await served.events.next((told) => told.callId === callId && told.call?.state === 'ended', 20_000);
    const busy = await fetch(`${served.url}/nothing`);
    expect(busy.status).toBe(404);
    served.signal('SIGINT');
    await served.exit;
    const entries = served.lines.all.map((line): Record<string, unknown> => JSON.parse(line));
    return { callId, entries, events: served.events.all };
  }

  test('is dated entries with level, call and code, and has no number, key or word of anybody', async () => {
    const { callId, entries, events } = await logOfCall();
    const told = JSON.stringify(events); // the events have them: what is looked for was there
    for (const personal of PERSONAL) expect(told).toMatch(personal);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: expect.stringMatching(/^(info|warn|error)$/),
        message: expect.any(String),
      });
      for (const personal of PERSONAL) expect(JSON.stringify(entry)).not.toMatch(personal);
    }
    const ofCall = entries.filter((entry) => entry.callId === callId && entry.message === 'call');
    expect(ofCall.map(({ state }) => state)).toEqual(['ringing', 'starting', 'connected', 'ended']);
    expect(entries.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['the runner is ready', 'what bots write is not logged', 'the runner stops']),
    );
  }, 90_000);

  test('has what bots write where that is asked for', async () => {
    const { callId, entries } = await logOfCall({ VOICEBOT_LOG_BOTS: 'on' });
    expect(entries).toContainEqual(
      expect.objectContaining({ source: 'bot', callId, line: 'key 4711 of +12025550143', message: 'bot output' }),
    );
  }, 90_000);

  test('ends with why the run could not go on', async () => {
    const environment = { VOICEBOT_LOG: 'json' };
    await using run = new Voicebot(['run', 'gone.ts', '--sandbox', '--port', '0'], { home, environment });
    expect(await run.exit).toBe(7);
    expect(JSON.parse(run.lines.all.at(-1) ?? '')).toMatchObject({
      level: 'error',
      message: 'The bot file could not be loaded',
      code: 'VB_BOT_LOAD_FAILED',
      detail: expect.stringContaining('gone.ts'),
      exitCode: 7,
    });
    expect(run.events.all.at(-1)).toMatchObject({ event: 'error', code: 'VB_BOT_LOAD_FAILED' });
  }, 60_000);

  test('says where a bot file has thrown, and not its words', async () => {
    writeFileSync(join(home, 'throws.mjs'), `throw new Error('no such caller Ada');\n`);
    const environment = { VOICEBOT_LOG: 'json' };
    await using run = new Voicebot(['run', 'throws.mjs', '--sandbox', '--port', '0'], { home, cwd: home, environment });
    expect(await run.exit).toBe(7);
    const last = JSON.parse(run.lines.all.at(-1) ?? '');
    expect(last).toMatchObject({ code: 'VB_BOT_LOAD_FAILED', place: expect.stringMatching(/throws\.mjs:1/) });
    expect(run.lines.all.join('\n')).not.toContain('Ada');
  }, 60_000);
});
