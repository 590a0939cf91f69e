import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

/** @param path from the root of the repository */
export const read = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), 'utf8');

/** The files in and below a folder that have one of the endings; without dot files, which are bots that another test compiles. */
export const filesIn = (folder: string, ...endings: readonly string[]): string[] =>
  readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)) && !/(^|\/)\./.test(name))
    .map((name) => join(folder, name));

/** Every page for users. */
export const documents = (): string[] => ['README.md', 'CHANGELOG.md', ...filesIn('docs', '.md')];

/** Joins the lines of a text, so that a sentence of a comment is in one piece. */
export const joined = (text: string): string => text.replaceAll(/\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' ');
