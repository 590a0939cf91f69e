import { shellWord } from '../../src/base/process/shell-word.js';
import { nextCommand } from '../../src/terminal/next-command.js';
import { command } from '../cli/in-process.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { filesIn, read } from '../project/repository.js';

test.each([
  ['npm install tsx', 'npm install tsx'],
  ['npm install prom-client, and start the runner again', 'npm install prom-client'],
  ['Install it: npm install @ngrok/ngrok. Or use another tunnel.', 'npm install @ngrok/ngrok'],
  ['See its calls: npx voicebot calls. When it has ended, start another: npx voicebot run', 'npx voicebot calls'],
  [`or: npx voicebot run ${shellWord("it's my.ts")} --stand-ins.`, `npx voicebot run 'it'\\''s my.ts' --stand-ins`],
  [
    'Start one: npx voicebot run --transport rooms, or name a server: --url https://…',
    'npx voicebot run --transport rooms',
  ],
  ['a bot file exports `bot`; `npx voicebot run` runs the demo bot', 'npx voicebot run'],
  ['Look at it: npx voicebot calls 1f.2; then go on', 'npx voicebot calls 1f.2'],
])('%s', (hint, next) => {
  expect(nextCommand(hint)).toBe(next);
});

test.each([
  undefined,
  'check CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN',
  'Set it with: npx voicebot configure-number +15551234567 --url https://…',
  'See: npx voicebot <command> --help',
  'Stop it with: kill 4711',
])('no command to type as it stands: %s', (hint) => {
  expect(nextCommand(hint)).toBeUndefined();
});

/** Texts of a source, with `x` for what is put into them. */
const textsOf = (source: string) =>
  (source.replaceAll(/\/\*.*?\*\//gs, '').match(/'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g) ?? []).map((text) =>
    text
      .slice(1, -1)
      .replaceAll('\\`', '`')
      .replaceAll(/\$\{[^}]*\}+/g, 'x'),
  );

const helpOf = async (words: readonly string[]) => (await command([...words, '--help'], PACKAGE_ROOT).finished).stdout;

test('every command that a text of voicebot names is one that can be typed', async () => {
  const named = new Set(
    filesIn('src', '.ts')
      .map(read)
      .flatMap(textsOf)
      .flatMap((text) => nextCommand(text) ?? []),
  );
  const ours = [...named].filter((text) => text.startsWith('npx voicebot '));
  expect(ours.length).toBeGreaterThan(15);
  const wrong: string[] = [];
  for (const text of ours) {
    const [name = '', ...words] = text.split(' ').slice(2);
    const help = name.startsWith('-') ? '' : await helpOf([name]);
    const [, takes = ''] = /^Usage: voicebot (?:\S+) (.*)$/m.exec(help) ?? [];
    const most = takes.match(/[[<](?!options)/g)?.length ?? 0;
    const options = words.filter((word) => word.startsWith('-'));
    const valued = options.filter((option) => new RegExp(`${option} <`).test(help)).length;
    const isKnown = options.every((option) => option === '--help' || help.includes(`${option} `));
    const given = words.length - options.length - valued;
    if (name !== '--help' && (!takes || !isKnown || given > most)) wrong.push(text);
  }
  expect(wrong).toEqual([]);
});
