import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ExtensionProject, expectGivenBack, stopped } from './extension-project.js';

const LIMIT_MS = 300_000;

let project: ExtensionProject;
let tried: string;
beforeAll(async () => {
  const config = { extensions: ['voicebot-atrium'], roomsProvider: 'atrium' };
  ({ project, tried } = await ExtensionProject.install('atrium', config, ['--transport', 'rooms']));
}, LIMIT_MS);
afterAll(() => project[Symbol.dispose]());

test(
  'a room provider outside of the project passes its stories with the package as npm packs it, and its types are right',
  async () => {
    expect(tried).toMatch(/ℹ fail 0/);
    expect(tried).toMatch(/✔ atrium: a caller is held, told, forwarded/);
    expect(await project.typeErrors()).toBe('');
  },
  LIMIT_MS,
);

test.each([
  ['the client of voicebot', {}, /^(?!.*Atrium)/],
  ['the client of the extension', { ROOMS_CLIENT: 'browser' }, / @ Atrium$/],
])(
  'a bot is called and dials in rooms of an extension, through %s',
  async (_, more: Record<string, string>, name) => {
    const serving = await project.serve(more);
    try {
      expect(await serving.told('ready')).toMatchObject({ sandbox: true });
      const calling = project.voicebot(['call', '--dtmf', 'w3 1 w1 9', '--json']);
      expect(await nameOfBot()).toMatch(name);
      expect((await calling).last).toMatchObject({ event: 'ended', isAnswered: true, endReason: 'bot_ended' });
      const dialled = await project.voicebot(['dialout', '+12025550102', '--wait', '--json']);
      expect(dialled.last).toMatchObject({ code: 'VB_CALL_FAILED', message: expect.stringContaining('busy') });
    } finally {
      await stopped(serving);
    }
  },
  LIMIT_MS,
);

/** Of the first one who is in a room, as the rooms behind the provider show it. */
async function nameOfBot(): Promise<string> {
  const { last: sandbox } = await project.voicebot(['sandbox', '--json']);
  const headers = { authorization: `Bearer ${sandbox.variables.ROOMS_API_KEY}` };
  const deadline = AbortSignal.timeout(30_000);
  for (;;) {
    const answer = await fetch(`${sandbox.url}/rooms-api/v1/presence`, { headers, signal: deadline });
    const rooms = (await answer.json()) as Record<string, ReadonlyArray<{ userName?: string }>>;
    const [present] = Object.values(rooms).flat();
    if (present?.userName !== undefined) return present.userName; // who has just come may have no name yet
    await setImmediate();
  }
}

test(
  'a number that a run has taken at a room provider of an extension is given back with it, and another folder says what it waits for',
  async () => {
    const serving = await project.serve();
    try {
      await serving.told('ready');
      const { last: sandbox } = await project.voicebot(['sandbox', '--json']);
      const { ROOMS_PROVIDER, ROOMS_API_KEY, ROOMS_API_URL } = sandbox.variables;
      expect(ROOMS_PROVIDER).toBe('atrium');
      // By the provider's own name: nothing but the extension knows it.
      const env = project.environment({ ATRIUM_API_KEY: ROOMS_API_KEY, ROOMS_API_URL });
      const words = [
        'configure-number',
        '+12025550119',
        '--transport',
        'rooms',
        '--url',
        'https://127.0.0.1:9',
        '--yes',
      ];
      const pointed = await project.voicebot([...words, '--json'], { env });
      expect([pointed.code, pointed.stderr]).toEqual([0, expect.any(String)]);
      await expectGivenBack(project, '+12025550119', env);
    } finally {
      await stopped(serving);
    }
  },
  LIMIT_MS,
);

test(
  'a room provider that the sandbox does not play is refused where its rooms are wanted',
  async () => {
    const bare = join(project.folder, 'bare');
    mkdirSync(bare);
    const extension =
      "import atrium from 'voicebot-atrium';\nconst { roomsSandbox: _, ...bare } = atrium;\nexport default bare;\n";
    writeFileSync(join(bare, 'bare.mjs'), extension);
    writeFileSync(join(bare, 'bot.mjs'), 'export async function bot() {}');
    writeFileSync(join(bare, 'voicebot.config.json'), '{ "extensions": ["./bare.mjs"], "roomsProvider": "atrium" }');
    const run = ['run', 'bot.mjs', '--sandbox', '--port', '0', '--json'];
    const { code, last } = await project.voicebot([...run, '--transport', 'rooms'], { cwd: bare });
    expect(code).toBe(3);
    expect(last).toMatchObject({ event: 'error', code: 'VB_CONFIG_INVALID' });
    expect(last.message).toContain('the sandbox does not play the room provider atrium');
  },
  LIMIT_MS,
);
