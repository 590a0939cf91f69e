import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { VoicebotError } from '../base/errors.js';
import { createFile } from '../runner/numbers/durable-file.js';
import { refuseNewerState } from '../runner/numbers/newer-state.js';
import { diskFull } from '../terminal/disk-full.js';

/** Where numbers and runners are written down, below the state directory. */
const FOLDERS = ['', 'leases', 'runners'];
/** What one file of the journal takes on the disk, in bytes. */
const FILE_BYTES = 4_096;

/**
 * Refuses, before anything is changed, a state directory in which nothing can be written down.
 * The same of one in which a newer voicebot has written what this one cannot read.
 * @throws VoicebotError VB_CONFIG_INVALID, VB_DISK_FULL, VB_STATE_NEWER
 */
export function checkStateDirectory(stateDirectory: string): void {
  for (const folder of FOLDERS.map((name) => join(stateDirectory, name))) {
    refuseUnless(folder, () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    });
  }
  refuseUnless(stateDirectory, () => {
    const probe = join(stateDirectory, '.probe');
    createFile(probe, ' '.repeat(FILE_BYTES));
    rmSync(probe, { force: true });
  });
  refuseNewerState(stateDirectory);
}

function refuseUnless(folder: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const full = diskFull(error, folder);
    if (full) throw full;
    throw new VoicebotError('VB_CONFIG_INVALID', `nothing can be written in ${folder} (${code ?? message})`, {
      hint: 'What is changed at a provider is written down there first. Name a directory of yours: VOICEBOT_HOME=…',
      cause: error,
    });
  }
}
