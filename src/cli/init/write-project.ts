import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import type { ProjectFile } from './project.js';

/**
 * Existing files and folders at the paths where the project's files would be written.
 * @returns paths relative to `directory`, each with whether it can be replaced: a folder, or a file where a folder has to
 *   be, cannot
 */
export function filesInTheWay(directory: string, files: readonly ProjectFile[]): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const { path } of files) {
    const folder = foldersOf(path).find((parent) => !isFolderOrFree(join(directory, parent)));
    if (folder !== undefined) found.set(folder, false);
    else {
      const kind = kindOf(join(directory, path));
      if (kind !== 'nothing') found.set(path, kind === 'file');
    }
  }
  return found;
}

/** @throws VoicebotError VB_FILE_EXISTS listing them all */
export function refuseToOverwrite(directory: string, paths: readonly string[]): never {
  throw new VoicebotError('VB_FILE_EXISTS', `in ${directory}:\n${paths.map((path) => `  ${path}`).join('\n')}`, {
    hint: 'Nothing was written. Choose another directory, move these files away, or replace them with --force',
  });
}

/**
 * Writes the project; after a failure everything is as it was before.
 * @param directory absolute; made with all folders above it when it is not there
 * @param replace whether existing files give way. Without it a file that appears meanwhile is not touched either.
 * @throws VoicebotError VB_FILE_EXISTS
 */
export function writeProject(directory: string, files: readonly ProjectFile[], replace: boolean): void {
  const undo: Array<() => void> = [];
  try {
    for (const { path, content } of files) {
      const file = join(directory, path);
      makeFolder(dirname(file), undo);
      if (replace) setAside(file, undo);
      const handle = openSync(file, 'wx');
      undo.push(() => rmSync(file, { force: true }));
      try {
        writeFileSync(handle, content);
      } finally {
        closeSync(handle);
      }
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    const { code, path = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseToOverwrite(directory, [path]);
    throw error;
  }
}

/** Removes an existing file rather than writing into it, because it may be a link to a file elsewhere. */
function setAside(file: string, undo: Array<() => void>): void {
  const before = lstatSync(file, { throwIfNoEntry: false });
  if (!before) return;
  const restore = before.isSymbolicLink() ? relink(file) : rewrite(file, before.mode);
  rmSync(file);
  undo.push(restore);
}

function relink(file: string): () => void {
  const target = readlinkSync(file);
  return () => symlinkSync(target, file);
}

function rewrite(file: string, mode: number): () => void {
  const content = readFileSync(file);
  return () => writeFileSync(file, content, { mode });
}

function makeFolder(folder: string, undo: Array<() => void>): void {
  if (kindOf(folder) !== 'nothing') return;
  makeFolder(dirname(folder), undo);
  mkdirSync(folder);
  undo.push(() => rmdirSync(folder));
}

/** The folders that contain a file, from the top, without the project's own folder. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_name, depth) => names.slice(0, depth + 1).join('/'));
}

function isFolderOrFree(path: string): boolean {
  const kind = kindOf(path);
  return kind === 'folder' || kind === 'nothing';
}

/** A link counts as a file, wherever it leads. */
function kindOf(path: string): 'folder' | 'file' | 'nothing' {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return 'nothing';
  return entry.isDirectory() ? 'folder' : 'file';
}
