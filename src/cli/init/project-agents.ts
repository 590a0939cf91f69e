import { NODE_NOTE, nextCommands, projectFiles, type ReadmeOptions } from './project-readme.js';
import { TEMPLATES } from './templates.js';

const DOCS = 'node_modules/voicebot/docs';

/** What agents look up, in the order in which they need it. */
const PAGES = [
  ['bots.md', '`defineBot`, the call, tools, menus'],
  ['cookbook.md', 'short recipes, each a whole bot'],
  ['conversation.md', '`call.converse`: turns, interruptions, functions, failures'],
  ['services.md', 'voices, models, speech to text, their keys'],
  ['testing.md', 'calls as tests: all fields of a scenario; tests in code; load'],
  ['cli.md', 'every command, option, exit code and event'],
  ['settings.md', 'every setting and credential'],
  ['errors.md', 'every error code, its cause and its cure'],
  ['troubleshooting.md', 'by what you see and hear'],
] as const;

/** What `defineBot` is, for one who has not seen a bot. Its types are checked by a test. */
export const BOT_EXAMPLE = `import { defineBot } from 'voicebot';
import { z } from 'zod';

export default defineBot({
  async onCall(call) {
    const talk = call.converse({
      system: 'You answer the telephone of a bakery, in one or two short sentences.',
      greeting: 'Hello, how can I help you?',
      tools: {
        opening_hours: {
          description: 'When the bakery is open on a day.',
          input: z.object({ day: z.string() }),
          run: ({ day }) => (day === 'Sunday' ? 'closed' : 'eight to six'),
        },
      },
    });
    await talk.ended;
  },
});
`;

const STAND_INS = ` Stand-ins take the place of the services that need keys: a scripted
model, a voice of this machine, and the text of \`--say\` in place of speech to text.`;

/** The `AGENTS.md` of a new project: for a coding agent that works on its bot. */
export function projectAgents(options: ReadmeOptions): string {
  const { name, template, transport = 'carrier', needsKeys } = options;
  const { description, dialsOut } = TEMPLATES[template];
  const [withoutKeys, standIns] = needsKeys ? [' --stand-ins', STAND_INS] : ['', ''];
  const call = dialsOut
    ? 'npx voicebot dialout +12025550101 --wait --json'
    : 'npx voicebot call --say "Hello, can you hear me?" --json';
  const [install = ''] = nextCommands(options).map(([command]) => command);
  return `# For agents that work on ${name}

${name} is a telephone bot, written with voicebot and made from its template \`${template}\`: ${description}.
${wayOf(transport)} ${keysOf(needsKeys)}

| File | What it is |
|---|---|
${projectFiles(options)
  .map(([file, what]) => `| \`${file}\` | ${what} |`)
  .join('\n')}

## Commands

${NODE_NOTE}

\`\`\`sh
${install}                     # once
npm run check                   # types
npm test                        # voicebot test: the scenarios in scenarios/, real calls on the offline phone network, without keys
npx voicebot calls              # the calls there have been; with an identifier its transcript, times and warnings
npx voicebot replay <folder>    # the caller of a recorded call, against the bot as it is now
npx voicebot doctor bot.ts      # what a real call still lacks; changes nothing
npx voicebot mcp                # a phone lab over the Model Context Protocol: place a call, speak, press keys, read the transcript
\`\`\`

Run \`npm run check\` and \`npm test\` after every change. A scenario is a file in \`scenarios/\`, YAML or TypeScript: who
calls, what is said and pressed when, and what must hold. Write one for each thing that the bot is to do, before you write the code.

## How the bot is written

A bot file exports \`defineBot({ onCall })\`. In \`onCall\` the bot talks by \`call.converse\`, whose \`tools\` each have an \`input\` and a
\`run\`, or by itself: \`call.say\`, \`call.play\`, \`call.on('dtmf', …)\`, \`call.transferTo\`, \`call.hangUp\`.

\`\`\`ts
${BOT_EXAMPLE}\`\`\`

\`voicebot/pipeline\` has another way, from parts: \`new Conversation\`, \`new Pipeline\`, \`defineTool({ parameters, execute })\`. It is for what
\`defineBot\` cannot do. Where a page shows it, leave that out unless the person asks for it.

What a bot is to leave behind, such as a booking that it stores, a scenario looks at with \`expect: { check: ./booked.ts }\`: a function that is
given the call when it is over (\`CallCheck\` of \`voicebot/testing\`).

## Try a change by a call

\`\`\`sh
export VOICEBOT_HOME="$PWD/.voicebot"   # runners and calls of your own, which git ignores
mkdir -p .voicebot
node_modules/.bin/voicebot run --sandbox${withoutKeys} --port 0 --json > .voicebot/run.jsonl & runner=$!
until grep -qE '"event":"(ready|error)"' .voicebot/run.jsonl; do sleep 0.2; done
${call}
npx voicebot calls                      # then: npx voicebot calls <id>
kill $runner                            # what npx has started would go on
\`\`\`

While it runs, the next call gets the file as you have saved it.${standIns}

With \`--json\` a command writes one JSON object per line to standard output. A failure is one line with \`"event":"error"\`: match on its
\`code\`, do what \`hint\` says, and type \`next\` where there is one. The exit code is 0 only when all went well.

## Documentation

\`node_modules/voicebot/llms.txt\` lists all pages. The types, with comments, are what \`import … from 'voicebot'\` leads to.

| Page in \`${DOCS}\` | About |
|---|---|
${PAGES.map(([page, about]) => `| \`${page}\` | ${about} |`).join('\n')}

## Never, unless the person asks for exactly that

- Put a key, a token or a real telephone number into code, a test, a scenario or a commit. They belong into \`.env\`, which stays out of git;
  \`.env.example\` has their names. Ask the person for a key; do not look for one.
- Call a real number. With credentials in \`.env\`, \`run\` without \`--sandbox\` uses the real account: calls cost money and ring at people.
  The same holds for \`dialout\` and \`campaign\` at such a runner, and for \`--dialin\` and \`configure-number\`, which change who answers a number.
- End a process that you have not started: another runner may hold calls.
- Change anything in \`node_modules\`, or record calls of people with \`--record\`.
`;
}

const wayOf = (transport: NonNullable<ReadmeOptions['transport']>) =>
  transport === 'rooms'
    ? 'Calls reach it through media rooms (`--transport rooms`, which `voicebot.config.json` sets).'
    : 'Calls reach it over the media streams of a carrier; the same file serves calls in rooms (`--transport rooms`).';

const keysOf = (needsKeys: boolean) =>
  needsKeys
    ? 'To talk with people it\nneeds the keys that `.env.example` names; tests and calls on the offline phone network work without them.'
    : 'It needs no keys.';
