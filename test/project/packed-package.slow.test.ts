import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

test('the archive holds localtunnel with a current HTTP client, and says so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-packed-'));
  try {
    // Without scripts, as `init --docker` packs a clone.
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    execFileSync('npm', words, { cwd: PACKAGE_ROOT });
    execFileSync('tar', ['-xzf', ...readdirSync(folder)], { cwd: folder });
    const inside = (path: string) => JSON.parse(readFileSync(join(folder, 'package', path, 'package.json'), 'utf8'));
    const files = readdirSync(join(folder, 'package', 'node_modules'), { recursive: true, encoding: 'utf8' });
    const clients = files.filter((file) => /(^|\/)axios\/package\.json$/.test(file));
    expect(clients).toEqual(['axios/package.json']);
    expect(inside('node_modules/axios').version).toMatch(/^1\./);
    // `npm ci` of a project that has the archive refuses it otherwise.
    const { overrides, dependencies } = inside('.');
    const { version, dependencies: needed } = inside('node_modules/localtunnel');
    expect(dependencies.localtunnel).toBe(`^${version}`);
    expect(needed.axios).toBe(overrides.localtunnel.axios);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);
