import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { ExtensionProject, expectGivenBack, run, stopped } from './extension-project.js';

const LIMIT_MS = 300_000;

let project: ExtensionProject;
let tried: string;
beforeAll(async () => {
  const config = { extensions: ['voicebot-vobiz'], carrier: 'vobiz' };
  ({ project, tried } = await ExtensionProject.install('vobiz', config, ['--carrier', 'vobiz']));
}, LIMIT_MS);
afterAll(() => project[Symbol.dispose]());

test(
  'a carrier outside of the project passes its stories with the package as npm packs it, and its types are right',
  async () => {
    expect(tried).toMatch(/ℹ fail 0/);
    expect(tried).toMatch(/✔ vobiz: a caller comes back from a transfer/);
    expect(await project.typeErrors()).toBe('');
  },
  LIMIT_MS,
);

test(
  'a bot is called and dials over the wire of an extension, and another folder says what its number waits for',
  async () => {
    const serving = await project.serve();
    try {
      expect(await serving.told('ready')).toMatchObject({ carrier: 'vobiz', sandbox: true });
      const called = await project.voicebot(['call', '--dtmf', 'w1 1 w1 9', '--json']);
      expect(called.last).toMatchObject({ event: 'ended', isAnswered: true, succeeded: true, endReason: 'bot_ended' });
      const dialled = await project.voicebot(['dialout', '+12025550102', '--wait', '--json']);
      expect(dialled.last).toMatchObject({
        code: 'VB_CALL_FAILED',
        message: expect.stringContaining('the line was busy'),
      });

      const { last: sandbox } = await project.voicebot(['sandbox', '--json']);
      const { CARRIER, CARRIER_AUTH_ID, CARRIER_AUTH_TOKEN, CARRIER_API_URL } = sandbox.variables;
      expect(CARRIER).toBe('vobiz');
      // The account by the carrier's own names: nothing but the extension knows these.
      const account = { VOBIZ_AUTH_ID: CARRIER_AUTH_ID, VOBIZ_AUTH_TOKEN: CARRIER_AUTH_TOKEN, CARRIER_API_URL };
      const env = project.environment(account);
      const pointed = await project.voicebot(
        ['configure-number', '+12025550119', '--url', 'https://127.0.0.1:9', '--yes', '--json'],
        { env },
      );
      expect([pointed.code, pointed.stderr]).toEqual([0, expect.any(String)]);
      await expectGivenBack(project, '+12025550119', env);
    } finally {
      await stopped(serving);
    }
  },
  LIMIT_MS,
);

test(
  'the command line knows the carrier of an extension, and says what is wrong with one that cannot be used',
  async () => {
    const help = await run(process.execPath, [project.main, 'run', '--help'], {
      cwd: project.folder,
      env: project.environment(),
    });
    expect(help.stdout).toMatch(/"telnyx",\s+"vobiz"/);
    const { events } = await project.voicebot(['doctor', '--json']);
    expect(events).toContainEqual(
      expect.objectContaining({ check: 'carrier', message: expect.stringMatching(/^vobiz/) }),
    );

    const broken = join(project.root, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'voicebot.config.json'), '{ "extensions": ["voicebot-nowhere", "./bad.mjs"] }');
    writeFileSync(join(broken, 'bad.mjs'), 'export default { providerContract: 2 };');
    for (const words of [
      ['run', '--sandbox', '--carrier', 'nowhere', '--json'],
      ['doctor', '--json'],
      ['configure-number', '--json'],
    ]) {
      const { code, last } = await project.voicebot(words, { cwd: broken });
      expect([words[0], code]).toEqual([words[0], 3]);
      expect(last).toMatchObject({ event: 'error', code: 'VB_EXTENSION_INVALID' });
      expect(last.message).toContain('voicebot-nowhere (extensions in voicebot.config.json) is not installed');
      expect(last.message).toContain('./bad.mjs is written for version 2');
    }
    expect((await project.voicebot(['calls', '--json'], { cwd: broken })).last?.code).not.toBe('VB_EXTENSION_INVALID');
  },
  LIMIT_MS,
);

test('the package of the extension declares voicebot as a peer, and nothing else', () => {
  const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'extensions/vobiz/package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  expect(manifest.peerDependencies).toEqual({ voicebot: '>=1.0.0-rc.1 <2' });
  expect(version).toMatch(/^1\./);
  expect(manifest.dependencies).toBeUndefined();
});
