import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import { parseFields } from '../../base/http/json-fields.js';

/** Below the state directory: folders whose files are JSON with a `version`. Other files there are read line by line, and have none. */
const VERSIONED = ['leases', 'hangups', 'rooms', 'room-ends', 'campaigns'];
/** What this voicebot writes, and reads. */
const VERSION = 1;

/**
 * Refuses a state directory in which a newer voicebot has written what this one cannot read: a number would not be given back, and a call that
 * is owed an end would go on.
 * @throws VoicebotError VB_STATE_NEWER naming every file; the system's error
 */
export function refuseNewerState(stateDirectory: string): void {
  refuseNewer(VERSIONED.flatMap((folder) => filesIn(join(stateDirectory, folder))));
}

/** The same for single files. @throws VoicebotError VB_STATE_NEWER */
export function refuseNewer(files: ReadonlyArray<{ readonly path: string; readonly text: string }>): void {
  const newer = files.filter(({ text }) => Number(parseFields(text)?.version) > VERSION);
  if (newer.length === 0) return;
  throw new VoicebotError('VB_STATE_NEWER', newer.map(({ path }) => path).join(', '), {
    hint: 'run the version of voicebot that has written it, or a newer one, which also gives numbers back',
  });
}

/** Those that another process removes meanwhile are none. */
function filesIn(folder: string): Array<{ path: string; text: string }> {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const path = join(folder, name);
      try {
        return [{ path, text: readFileSync(path, 'utf8') }];
      } catch {
        return []; // what cannot be read has its own error where it is used
      }
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
