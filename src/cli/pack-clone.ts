import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { VoicebotError } from '../errors.js';
import type { ProjectFile } from '../scaffold/project.js';
import { packageRoot } from './package-root.js';

/**
 * This clone of voicebot as the archive that a registry would give out, for a place that the clone itself is not in, such
 * as an image.
 * @throws VoicebotError VB_CONFIG_INVALID when npm cannot pack it
 */
export async function packClone(): Promise<ProjectFile> {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-pack-'));
  try {
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    const options = { cwd: packageRoot, shell: process.platform === 'win32' };
    const { stdout } = await promisify(execFile)('npm', words, options);
    const path = stdout.trim();
    return { path, content: readFileSync(join(folder, path)) };
  } catch (cause) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'an image needs voicebot as an archive, and npm could not pack it', {
      hint: `Try it: npm pack ${packageRoot}. Or leave --docker out, and say in package.json where voicebot comes from`,
      cause,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
