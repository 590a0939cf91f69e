import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MissingProgram } from '../missing-program.js';
import { benchFolder } from './human-sounds.js';

export const LIVEKIT_VERSION = '1.9.0';
const PACKAGES = {
  '@livekit/agents': LIVEKIT_VERSION,
  '@livekit/agents-plugin-silero': LIVEKIT_VERSION,
  '@livekit/rtc-node': '^0.13.34',
};

/** Where LiveKit's packages are, outside the repository; installed the first time. @throws MissingProgram where they cannot be had */
export function livekitFolder(): string {
  const folder = join(benchFolder, `livekit-${LIVEKIT_VERSION}`);
  const modules = join(folder, 'node_modules');
  if (existsSync(join(modules, 'complete'))) return modules;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  // their scripts fetch what only a graphics card needs
  const { status } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new MissingProgram(`npm, with a registry that has @livekit/agents ${LIVEKIT_VERSION},`);
  writeFileSync(join(modules, 'complete'), '');
  return modules;
}
