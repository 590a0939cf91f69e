import { RECOMMENDED_MAJOR } from '../../base/process/node-lines.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import { TEMPLATES, type TemplateName } from './templates.js';

export interface ReadmeOptions {
  readonly name: string;
  readonly template: TemplateName;
  /** How calls reach the bot. Default: over a carrier. */
  readonly transport?: 'carrier' | 'rooms' | undefined;
  /** The carrier that it is for. */
  readonly carrier?: CarrierName | undefined;
  /** The bot does not start without its keys. */
  readonly needsKeys: boolean;
  /** The files for containers are there. */
  readonly hasContainer: boolean;
}

/** The next commands to type in a new project, each with a comment. */
export function nextCommands({ template, needsKeys }: ReadmeOptions): Array<[command: string, comment: string]> {
  const { dialsOut } = TEMPLATES[template];
  return [
    ['npm install', ''],
    ...(needsKeys
      ? [['cp .env.example .env', 'and fill in the keys; it says where to get them'] as [string, string]]
      : []),
    ['npx voicebot run', 'serve the bot; without an account on the sandbox, an offline phone network'],
    dialsOut
      ? ['npx voicebot dialout +15551234567', 'in another terminal: have it call a number']
      : ['npx voicebot call', 'in another terminal: call it'],
  ];
}

/** The files of a new project that the user changes, each with what it is. */
export function projectFiles({ hasContainer }: ReadmeOptions): Array<[file: string, what: string]> {
  const rows: Array<[file: string, what: string, isThere?: boolean]> = [
    ['bot.ts', 'the bot, which every call runs'],
    ['scenarios/', 'calls as tests: `npm test` makes them, without keys and without internet'],
    ['.github/workflows/test.yml', 'makes these calls on GitHub at every push'],
    ['.env.example', 'the keys and numbers it may have; copy it to `.env`, which stays out of git'],
    ['voicebot.config.json', 'settings of `voicebot run` that are no secrets'],
    ['Dockerfile', 'and `compose.yaml`: the bot in a container, behind a proxy with HTTPS', hasContainer],
  ];
  return rows.flatMap(([file, what, isThere = true]) => (isThere ? [[file, what]] : []));
}

/** Which Node.js a project runs on. */
export const NODE_NOTE = `Install Node.js ${RECOMMENDED_MAJOR}; 20.18.1 or newer works.`;

/** The `README.md` of a new project. */
export function projectReadme(options: ReadmeOptions): string {
  const { name, template, carrier } = options;
  const files = [...projectFiles(options), ['AGENTS.md', 'what a coding agent has to know']];
  return `# ${name}

A telephone bot, made from the \`${template}\` template of voicebot: ${TEMPLATES[template].description}.
${carrier ? `Its carrier is ${carrier}: the account's variables stand in \`.env.example\`.\n` : ''}
\`\`\`sh
${alignComments(nextCommands(options)).join('\n')}
\`\`\`

| File | What it is |
|---|---|
${files.map(([file, what]) => `| \`${file}\` | ${what} |`).join('\n')}

\`npm run check\` checks the types. \`npx voicebot run --help\` lists what \`run\` can do.
${NODE_NOTE}
`;
}

/** Commands with their comments aligned. */
export function alignComments(commands: ReadonlyArray<readonly [command: string, comment: string]>): string[] {
  const width = Math.max(...commands.map(([command]) => command.length));
  return commands.map(([command, comment]) => (comment ? `${command.padEnd(width)}   # ${comment}` : command));
}
