import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { VoicebotError } from '../../base/errors.js';
import { shellWord } from '../../base/process/shell-word.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import { ask, type CliContext, saysYes } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import { isClone, packageRoot } from '../../terminal/package-root.js';
import { TypedOptions, UsageError } from '../../terminal/typed-options.js';
import type { ProjectFile } from './project.js';
import { makeProject } from './project.js';
import { alignComments } from './project-readme.js';
import { DEFAULT_TEMPLATE, OLD_TEMPLATES, TEMPLATE_NAMES, type TemplateName, templateLines } from './templates.js';
import { filesInTheWay, refuseToOverwrite, writeProject } from './write-project.js';

export interface InitOptions {
  /** Of a template, as it is called now or was before. */
  template?: string;
  carrier?: CarrierName;
  docker?: boolean;
  yes?: boolean;
  force?: boolean;
  /** What the project asks for as voicebot. */
  voicebot?: string;
  json?: boolean;
}

const DEFAULT_DIRECTORY = 'voicebot-project';
const MAX_DIRECTORY_CHARACTERS = 1_024;

/**
 * Makes a project; asks for what was not given when a person sits at the terminal.
 * @throws UsageError, VoicebotError VB_FILE_EXISTS
 */
export async function initProject(
  typedDirectory: string | undefined,
  options: InitOptions,
  context: CliContext,
  output: Output,
): Promise<void> {
  const { keyboard: _, ...unattended } = context;
  const asked: CliContext = options.yes || options.json ? unattended : context;
  const given = typedDirectory ?? ((await ask(asked, `Directory (${DEFAULT_DIRECTORY}): `)) || DEFAULT_DIRECTORY);
  const directory = checkDirectory(given, context.directory);
  const named = options.template ?? (await askTemplate(asked, output)) ?? DEFAULT_TEMPLATE;
  const { template, transport } = OLD_TEMPLATES[named] ?? { template: named as TemplateName };
  if (template !== named) output.line(`The template ${named} is called ${template} now: it serves carriers and rooms.`);
  const { docker = false, carrier } = options;
  if (carrier && transport === 'rooms') throw new UsageError([`--carrier: ${named} is for rooms, not for a carrier`]);
  const archive = docker && !options.voicebot && isClone ? await packed(output) : undefined;
  const clone = archive ? `file:${archive.path}` : linkToClone(directory);
  const voicebot = options.voicebot ?? clone;
  const project = makeProject({ directory, template, transport, carrier, packageRoot, voicebot, docker });
  const { name, next } = project;
  const files = archive ? [...project.files, archive] : project.files;

  const replace = await mayReplace(directory, files, options.force ?? false, asked, output);
  writeProject(directory, files, replace);
  const move = directory === context.directory ? [] : [[`cd ${shellWord(shown(directory, context))}`, ''] as const];
  const commands = [...move, ...next];
  const paths = files.map(({ path }) => path);
  output.event('created', { directory, name, template, files: paths, next: commands.map(([command]) => command) });
  output.line(`${output.paint.green('✔')} ${name} is made, from the template ${template}:`);
  for (const line of listed(paths)) output.line(`  ${line}`);
  output.line();
  output.line('Next:');
  for (const line of fittedCommands(commands, output)) output.line(`  ${line}`);
}

/** Each with its comment beside it, or above it where the terminal has no room for one of them. */
function fittedCommands(
  commands: ReadonlyArray<readonly [command: string, comment: string]>,
  output: Output,
): string[] {
  const rows = alignComments(commands);
  const { columns = Number.POSITIVE_INFINITY } = output;
  if (rows.every((row) => row.length + 2 <= columns)) return rows;
  return commands.flatMap(([command, comment]) => [
    ...(comment
      ? output
          .wrapped(comment, 4)
          .split('\n')
          .map((line) => `# ${line.trim()}`)
      : []),
    command,
  ]);
}

/** @returns its absolute path @throws UsageError when no project can be made there */
function checkDirectory(typed: string, from: string): string {
  const checks = new TypedOptions();
  const directory = checks.check('directory', typed, (raw) => {
    if (raw.trim() === '') throw new Error('must not be empty');
    if (raw.length > MAX_DIRECTORY_CHARACTERS || /\p{Cc}/u.test(raw)) throw new Error('is not a name for a directory');
    if (raw.startsWith('-')) throw new Error(`looks like an option; if it is meant, type ./${raw}`);
    const path = resolve(from, raw);
    if (path.split(sep).includes('node_modules')) throw new Error('is inside node_modules, where npm deletes things');
    let above = path;
    while (!existsSync(above)) above = dirname(above);
    if (!statSync(above).isDirectory()) throw new Error(`${above} is a file`);
    if (!isWritable(above)) throw new Error(`you may not write to ${above}`);
    return path;
  });
  checks.throwIfRefused();
  return directory as string;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** By number or name; undefined when there is no person to choose. */
async function askTemplate(context: CliContext, output: Output): Promise<string | undefined> {
  if (!context.keyboard) return undefined;
  output.line('Templates:');
  for (const line of templateLines((index) => `  ${index + 1}  `)) output.line(line);
  const standard = TEMPLATE_NAMES.indexOf(DEFAULT_TEMPLATE) + 1;
  for (;;) {
    const typed = await ask(context, `Template (${standard}): `);
    if (!typed) return DEFAULT_TEMPLATE;
    const chosen =
      TEMPLATE_NAMES[Number(typed) - 1] ??
      [...TEMPLATE_NAMES, ...Object.keys(OLD_TEMPLATES)].find((name) => typed === name);
    if (chosen) return chosen;
    output.line(`Type a number from 1 to ${TEMPLATE_NAMES.length}, or a name.`);
  }
}

/** @returns whether existing files give way; false when there are none @throws VoicebotError VB_FILE_EXISTS */
async function mayReplace(
  directory: string,
  files: readonly ProjectFile[],
  force: boolean,
  context: CliContext,
  output: Output,
): Promise<boolean> {
  const found = filesInTheWay(directory, files);
  const stuck = [...found].filter(([, canGiveWay]) => !canGiveWay).map(([path]) => path);
  if (stuck.length > 0) refuseToOverwrite(directory, force ? stuck : [...found.keys()]);
  if (found.size === 0) return false;
  if (!force) {
    if (!context.keyboard) refuseToOverwrite(directory, [...found.keys()]);
    output.line(`These files are in the way in ${directory}:`);
    for (const path of found.keys()) output.line(`  ${path}`);
    const answer = await ask(context, 'Replace them? (y/N): ');
    if (!saysYes(answer)) refuseToOverwrite(directory, [...found.keys()]);
  }
  return true;
}

/** Projects of a clone use that, wherever it is changed. */
const linkToClone = (directory: string): string | undefined =>
  isClone ? `file:${relative(directory, packageRoot).split(sep).join('/')}` : undefined;

/** A link would lead nowhere in an image, so its project gets the clone as it is now. */
async function packed(output: Output): Promise<ProjectFile> {
  output.line('Packing this clone of voicebot for the image …');
  return packClone();
}

/** A folder of files as one line. */
function listed(paths: readonly string[]): string[] {
  const folders = new Map<string, number>();
  const lines: string[] = [];
  for (const path of paths) {
    const folder = path.slice(0, path.indexOf('/') + 1);
    if (folder === '') lines.push(path);
    else folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [
    ...lines,
    ...[...folders].map(([folder, count]) => `${folder} (${count === 1 ? '1 file' : `${count} files`})`),
  ];
}

/** As one would type it. */
function shown(directory: string, context: CliContext): string {
  const path = relative(context.directory, directory);
  return path.startsWith('..') || path === '' ? directory : path;
}

/** What npm is given to pack a folder into the one where it runs. On Windows npm is a script, which a shell runs that splits words at spaces. */
export function packCommand(root: string, platform: NodeJS.Platform): { words: string[]; shell: boolean } {
  const shell = platform === 'win32';
  const from = root.replace(/[\\/]$/, '');
  return { words: ['pack', '--silent', '--ignore-scripts', shell ? `"${from}"` : from], shell };
}

/**
 * This clone of voicebot as the archive that a registry would give out, for a place that the clone itself is not in, such
 * as an image.
 * @throws VoicebotError VB_CONFIG_INVALID when npm cannot pack it
 */
async function packClone(): Promise<ProjectFile> {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-pack-'));
  try {
    const { words, shell } = packCommand(packageRoot, process.platform);
    const { stdout } = await promisify(execFile)('npm', words, { cwd: folder, shell });
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
