import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import { findCallFolders, idInName } from '../../call/folder/folder-name.js';
import { type CallFolder, readCallFolder } from '../../call/folder/read-call-folder.js';

/** One of these makes a folder that of a call. */
const FILES = ['call.json', 'events.ndjson', 'audio.wav', 'transcript.json'];
/** Calls that a message names. */
const MAX_NAMED = 5;

/**
 * The folder of a call that is over, as far as it goes.
 * @param typed path of the folder or of a file in it, or the call's identifier or its beginning
 * @throws VoicebotError VB_REQUEST_INVALID when there is none, there are several, it holds nothing of a call, or the call goes on
 */
export async function findRecordedCall(typed: string, directory: string, home: string): Promise<CallFolder> {
  const path = folderAt(resolve(directory, typed)) ?? (await folderOf(typed, home));
  const folder = await readCallFolder(path);
  if (folder.isLive) {
    throw new VoicebotError(
      'VB_REQUEST_INVALID',
      `the call ${folder.record.id} goes on: it can be replayed when it is over`,
    );
  }
  if (folder.events.length === 0 && folder.transcript.length === 0 && !folder.audio) {
    throw new VoicebotError(
      'VB_REQUEST_INVALID',
      `${path} holds nothing that could be replayed: ${folder.missing.join(' ')}`,
    );
  }
  return folder;
}

/** Undefined when nothing is there. */
function folderAt(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  const names = readdirSync(folder);
  if (FILES.some((name) => names.includes(name))) return folder;
  throw new VoicebotError(
    'VB_REQUEST_INVALID',
    `${path} is not the folder of a call: it has none of ${FILES.join(', ')}`,
  );
}

async function folderOf(id: string, home: string): Promise<string> {
  const [found, ...others] = /[\\/]/.test(id) ? [] : await findCallFolders(home, id);
  const hint = 'List those that have a folder: npx voicebot calls --all';
  if (!found) throw new VoicebotError('VB_REQUEST_INVALID', `there is no folder of a call ${id}`, { hint });
  if (others.length === 0) return found;
  const names = [found, ...others].map((path) => idInName(basename(path)));
  const some = `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`;
  throw new VoicebotError('VB_REQUEST_INVALID', `${names.length} calls begin with ${id}: ${some}`, { hint });
}
