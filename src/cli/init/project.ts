import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type AccountField, ownVariable, ownVariables } from '../../config/carrier-settings.js';
import { SETTINGS } from '../../config/settings.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import { carrierByName } from '../../providers/registry/carriers.js';
import { type OwnManifest, packageManifest, projectName } from './package-manifest.js';
import { projectAgents } from './project-agents.js';
import { nextCommands, projectReadme, type ReadmeOptions } from './project-readme.js';
import { projectWorkflow, WORKFLOW_PATH } from './project-workflow.js';
import type { TemplateName } from './templates.js';

export interface ProjectOptions {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  readonly template: TemplateName;
  /** How calls reach the bot. Default: over a carrier. */
  readonly transport?: 'carrier' | 'rooms' | undefined;
  /** Whose names the example of the environment has. Default: those that hold for every carrier. */
  readonly carrier?: CarrierName | undefined;
  /** Absolute path of the installed package: where `templates/` and `package.json` are. */
  readonly packageRoot: string;
  /** The project's dependency on voicebot. Default: this version or a newer compatible one. */
  readonly voicebot?: string | undefined;
  /** With the files for containers. */
  readonly docker: boolean;
}

export interface ProjectFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

export interface Project {
  readonly name: string;
  readonly files: readonly ProjectFile[];
  /** The next commands to type, inside the project's folder. */
  readonly next: ReadonlyArray<readonly [command: string, comment: string]>;
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['*.ts', 'scenarios/**/*.ts'],
};

/** npm leaves files of this name out of packages, so it cannot be one of the template's. */
const GITIGNORE = `node_modules/
.env
.env.local
.voicebot/
test-results/
# tours of voicebot certify
certify-*/
# recordings of voicebot call; sounds of the bot belong in a folder
/*.wav
# compiled bots of processes that were killed while they loaded
.*.ts.*.mjs
`;

/** Everything a new project is made of; writes nothing. */
export function makeProject({
  directory,
  template,
  transport,
  carrier,
  packageRoot,
  voicebot,
  docker,
}: ProjectOptions): Project {
  const own: OwnManifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  const name = projectName(directory, own);
  const copied = filesIn(join(packageRoot, 'templates', template)).map((file) =>
    carrier && file.path === '.env.example' ? { ...file, content: withNamesOf(carrier, String(file.content)) } : file,
  );
  const textOf = (path: string) => String(copied.find((file) => file.path === path)?.content ?? '');
  const settings = { bot: 'bot.ts', ...(transport === 'rooms' && { transport }), ...(carrier && { carrier }) };
  const readme: ReadmeOptions = {
    name,
    template,
    transport,
    carrier,
    needsKeys: /^\w+=$/m.test(textOf('.env.example')),
    hasContainer: docker,
  };
  const manifest = packageManifest({
    name,
    source: textOf('bot.ts'),
    voicebot: voicebot ?? `^${own.version}`,
    own,
    isDeployed: docker,
  });
  const files = [
    ...copied,
    { path: 'package.json', content: manifest },
    { path: 'voicebot.config.json', content: `${JSON.stringify(settings, null, 2)}\n` },
    { path: 'tsconfig.json', content: `${JSON.stringify(TSCONFIG, null, 2)}\n` },
    { path: '.gitignore', content: GITIGNORE },
    { path: 'README.md', content: projectReadme(readme) },
    { path: 'AGENTS.md', content: projectAgents(readme) },
    { path: WORKFLOW_PATH, content: projectWorkflow() },
    ...(docker ? containerFiles(join(packageRoot, 'templates', 'deployment'), transport, textOf('.env.example')) : []),
  ];
  return { name, files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), next: nextCommands(readme) };
}

/** The lines of the account at the carrier, with the names that the carrier itself has for them. */
function withNamesOf(carrier: CarrierName, example: string): string {
  const { variables } = carrierByName(carrier);
  const linesOf = (...fields: AccountField[]) =>
    fields.flatMap((field) => ownVariable(variables, field) ?? []).map((name) => `# ${name}=`);
  return example
    .replace(/Your account at Twilio.* are read too;/, `Your account at ${carrier};`)
    .replace(/^# CARRIER_AUTH_ID=\n# CARRIER_AUTH_TOKEN=$/m, linesOf('authId', 'authToken', 'publicKey').join('\n'))
    .replace(/^# CARRIER_PHONE_NUMBER=$/m, linesOf('phoneNumber').join('\n'));
}

/** The container files, which the templates folder holds for a carrier and a bot with one key. @param example the bot's environment */
function containerFiles(folder: string, transport: string | undefined, example: string): ProjectFile[] {
  const literals = botVariables(example).map((name) => `--from-literal=${name}=…`);
  return filesIn(folder).map(({ path, content }) => {
    const text = String(content).replace('--from-literal=EXAMPLE_API_KEY=…', literals.join(' ') || '$&');
    return { path, content: transport === 'rooms' ? forRooms(text) : text };
  });
}

/** What a bot reads from its environment, apart from the accounts of the runner: those that it cannot do without first. */
function botVariables(example: string): string[] {
  const variables = [...example.matchAll(/^(# )?([A-Z][A-Z0-9_]*)=/gm)];
  const names = (isOptional: boolean) =>
    variables.flatMap(([, mark, name = '']) => ((mark !== undefined) === isOptional ? [name] : []));
  return [...names(false), ...names(true)].filter((name) => !accountVariables().has(name));
}

/** Of every account, by its own names and by those that all have. */
const accountVariables = (): ReadonlySet<string> =>
  new Set([
    ...Object.values(SETTINGS).flatMap(({ variable }) => (/^(CARRIER|ROOMS)_/.test(variable) ? [variable] : [])),
    ...ownVariables(),
  ]);

/** With the account of rooms in place of that of a carrier. */
const forRooms = (text: string) =>
  text
    .replace('"--transport", "carrier"', '"--transport", "rooms"')
    .replace('--from-literal=carrier-auth-id=… --from-literal=carrier-auth-token=…', '--from-literal=rooms-api-key=…')
    .replace(/^ +- name: CARRIER_AUTH_ID\n(?: {14,}.*\n)+/m, '')
    .replace('name: CARRIER_AUTH_TOKEN', 'name: ROOMS_API_KEY')
    .replace('key: carrier-auth-token', 'key: rooms-api-key');

function filesIn(folder: string): ProjectFile[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/^\..*\.mjs$/.test(entry.name)) // a bot that is being compiled just now
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => ({ path: relative(folder, file).split(sep).join('/'), content: readFileSync(file) }));
}
