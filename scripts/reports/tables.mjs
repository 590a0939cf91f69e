// What the compiled code says of itself: commands and options, settings, error codes.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const from = (root, path) => import(pathToFileURL(join(root, 'dist', ...path.split('/'))).href);

/** Commands, arguments and options, as commander knows them. */
export async function commandLineOf(root) {
  const [{ programOf }, { processContext }] = [
    await from(root, 'cli/main.js'),
    await from(root, 'terminal/context.js'),
  ];
  const items = new Map();
  const add = (command, path) => {
    if (path !== '') items.set(path, 'command');
    for (const argument of command.registeredArguments) {
      const { required, variadic, argChoices, defaultValue } = argument;
      const parts = [
        required ? 'argument' : 'optional argument',
        variadic && 'several',
        choices(argChoices),
        byDefault(defaultValue),
      ];
      items.set(`${path} <${argument.name()}>`, parts.filter(Boolean).join('; '));
    }
    for (const option of command.options)
      items.set(`${path} ${option.long ?? option.short}`.trim(), optionText(option));
    for (const one of command.commands) add(one, `${path} ${one.name()}`.trim());
  };
  add(programOf(processContext()), '');
  return items;
}

function optionText({ flags, short, long, mandatory, argChoices, defaultValue, description }) {
  const value = /[<[].*[>\]]/.exec(flags)?.[0];
  const told = defaultValue === undefined ? /\((default: [^)]*)\)/.exec(description)?.[1] : undefined;
  const parts = [
    value ? `takes ${value}` : 'switch',
    short && long && `also ${short}`,
    mandatory && 'must be given',
    choices(argChoices),
    byDefault(defaultValue),
    told,
  ];
  return `${description.startsWith('deprecated: ') ? '(deprecated) ' : ''}${parts.filter(Boolean).join('; ')}`;
}

const choices = (words) => words && `one of ${words.join(', ')}`;
const byDefault = (value) => value !== undefined && `default: ${JSON.stringify(value)}`;

/** Variables with their keys of `voicebot.config`, what they may be, and what holds without them. */
export async function settingsOf(root) {
  const [{ SETTINGS }, { DEFAULTS }, { ownVariables }, { VENDORS }, { daily }] = await Promise.all(
    [
      'config/settings.js',
      'config/config.js',
      'config/carrier-settings.js',
      'bot/services/vendor.js',
      'providers/daily/provider.js',
    ].map((path) => from(root, path)),
  );
  const items = new Map([
    ['VOICEBOT_HOME', 'read from the environment only; default: .voicebot in the home directory'],
  ]);
  for (const [key, setting] of Object.entries(SETTINGS)) {
    const { variable, inFile, isRunners, parse, deprecated } = setting;
    const parts = [
      inFile ? `key ${key}` : 'not in voicebot.config',
      isRunners && 'a secret that bots do not get',
      refusalOf(parse),
      key in DEFAULTS && `default: ${JSON.stringify(DEFAULTS[key])}`,
    ];
    items.set(variable, `${deprecated ? '(deprecated) ' : ''}${parts.filter(Boolean).join('; ')}`);
  }
  items.set(daily.keyVariable, `another name of ${SETTINGS.roomsApiKey.variable}`);
  for (const name of ownVariables()) items.set(name, 'a name of the carrier’s own');
  for (const { name, keyVariable, urlVariable } of Object.values(VENDORS)) {
    if (keyVariable) items.set(keyVariable, `key of ${name}, for bots`);
    if (urlVariable) items.set(urlVariable, `address of ${name}, for bots`);
  }
  return items;
}

/** What a value must be, in the words in which one that cannot be is refused. */
function refusalOf(parse) {
  try {
    parse({});
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** Codes with the exit codes of commands that fail by them. */
export async function errorsOf(root) {
  const [{ ERROR_SUMMARIES }, { exitCodeOf }] = [
    await from(root, 'base/errors.js'),
    await from(root, 'terminal/exit-codes.js'),
  ];
  return new Map(Object.keys(ERROR_SUMMARIES).map((code) => [code, `exit code ${exitCodeOf(code)}`]));
}
