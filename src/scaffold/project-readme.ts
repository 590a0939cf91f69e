import type { CarrierName } from '../providers/registry/carrier-names.js';
import { TEMPLATES, type TemplateName } from './templates.js';

export interface ReadmeOptions {
  readonly name: string;
  readonly template: TemplateName;
  /** The carrier that it is for. */
  readonly carrier?: CarrierName | undefined;
  /** The bot does not start without its keys. */
  readonly needsKeys: boolean;
  /** The files for containers are there. */
  readonly hasContainer: boolean;
  /** The project's voicebot is a link to a clone, whose type declarations `npm run build` writes. */
  readonly hasClone: boolean;
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
      ? ['npx voicebot dialout +15551234567', 'in another terminal: have it call somebody']
      : ['npx voicebot call', 'in another terminal: call it'],
  ];
}

/** The `README.md` of a new project. */
export function projectReadme(options: ReadmeOptions): string {
  const { name, template, carrier, hasContainer, hasClone } = options;
  const files = [
    ['bot.ts', 'the bot: every call starts its `bot` function'],
    ['bot.test.ts', 'a test of it, without keys and without internet: `npm test`'],
    ['.env.example', 'the keys and numbers it may have; copy it to `.env`, which stays out of git'],
    ['voicebot.config.json', 'settings of `voicebot run` that are no secrets'],
    ...(hasContainer ? [['Dockerfile', 'and `compose.yaml`: the bot in a container, behind a proxy with HTTPS']] : []),
  ];
  return `# ${name}

A telephone bot, made from the \`${template}\` template of voicebot: ${TEMPLATES[template].description}.
${carrier ? `Its carrier is ${carrier}: the account's variables stand in \`.env.example\`.\n` : ''}
\`\`\`sh
${alignComments(nextCommands(options)).join('\n')}
\`\`\`

| File | What it is |
|---|---|
${files.map(([file, what]) => `| \`${file}\` | ${what} |`).join('\n')}

\`npm run check\` checks the types${hasClone ? ', after one `npm run build` in the clone of voicebot' : ''}. \`npx voicebot run --help\` lists what \`run\` can do.
`;
}

/** Commands with their comments aligned. */
export function alignComments(commands: ReadonlyArray<readonly [command: string, comment: string]>): string[] {
  const width = Math.max(...commands.map(([command]) => command.length));
  return commands.map(([command, comment]) => (comment ? `${command.padEnd(width)}   # ${comment}` : command));
}
