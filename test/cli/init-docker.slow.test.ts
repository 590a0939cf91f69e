import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageVersion } from '../../src/base/package-version.js';
import { command } from './in-process.js';

test('a project for an image holds the clone itself, packed, and no link out of the project', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-init-docker-'));
  try {
    const { exitCode } = await command(['init', 'bot', '--template', 'echo', '--docker'], directory).finished;
    expect(exitCode).toBe(0);
    const project = join(directory, 'bot');
    const archive = `voicebot-${packageVersion()}.tgz`;
    const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    expect(manifest.dependencies.voicebot).toBe(`file:${archive}`);
    const packed = execFileSync('tar', ['-tzf', archive], { cwd: project, encoding: 'utf8', maxBuffer: 2 ** 24 });
    expect(packed.split('\n')).toEqual(expect.arrayContaining(['package/bin/voicebot.js', 'package/dist/cli/main.js']));
    expect(readFileSync(join(project, 'Dockerfile'), 'utf8')).toMatch(/^COPY package\.json .*voicebot-\*\.tgz\* /m);
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 120_000);
