import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { VoicebotError } from '../errors.js';

/** Where numbers and runners are written down, below the state directory. */
const FOLDERS = ['', 'leases', 'runners'];

/**
 * Refuses, before anything is changed, a state directory in which nothing can be written down.
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export function checkStateDirectory(stateDirectory: string): void {
  for (const folder of FOLDERS.map((name) => join(stateDirectory, name))) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new VoicebotError('VB_CONFIG_INVALID', `nothing can be written in ${folder} (${code ?? message})`, {
        hint: 'What is changed at a provider is written down there first. Name a folder of yours: VOICEBOT_HOME=…',
        cause: error,
      });
    }
  }
}
