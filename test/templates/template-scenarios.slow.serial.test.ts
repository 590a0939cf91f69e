import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEMPLATE_NAMES } from '../../src/scaffold/templates.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { Voicebot } from '../e2e/voicebot.js';

/** The sound of the WAV file is not found in what comes back through a room. */
const IN_ROOMS = TEMPLATE_NAMES.filter((name) => name !== 'echo');

test.each([
  ['each carrier', TEMPLATE_NAMES, ['--carrier', 'all'], 3],
  ['rooms', IN_ROOMS, ['--transport', 'rooms'], 1],
])(
  'the scenarios of the templates pass over %s',
  async (_wires, templates, options, wires) => {
    const home = mkdtempSync(join(tmpdir(), 'voicebot-template-scenarios-'));
    const folders = templates.map((name) => join(PACKAGE_ROOT, 'templates', name, 'scenarios'));
    await using voicebot = new Voicebot(['test', ...folders, ...options, '--at-once', '4'], { home, cwd: home });
    const exitCode = await voicebot.exit;
    const { all } = voicebot.events;
    const failed = all.filter(({ event, failures }) => event === 'scenario_ran' && failures.length > 0);
    expect(failed.map(({ name, wire, failures }) => [name, wire, failures])).toEqual([]);
    expect(all.filter(({ event }) => event === 'scenario')).toHaveLength(2 * templates.length * wires);
    expect(exitCode).toBe(0);
  },
  400_000,
);
