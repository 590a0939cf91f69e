// All reports of what the code promises: a map of items for each, by the name of its file.
import { apiOf } from './api.mjs';
import { Fields } from './fields.mjs';
import { addAddresses, addRequests, addWrittenAddresses } from './http.mjs';
import { addJsonLines } from './json-lines.mjs';
import { DOORS, declaredType, loadProgram, ROOT } from './program.mjs';
import { addFolderFiles, addRedisKeys, addStateFolders, addTypes, FOLDER, JOURNALS } from './stored.mjs';
import { commandLineOf, errorsOf, settingsOf } from './tables.mjs';

/** What each report is, for who opens it. */
export const TITLES = {
  'api-voicebot': 'The public names of `voicebot`, with their members',
  'api-pipeline': 'The public names of `voicebot/pipeline`, with their members',
  'api-provider': 'The public names of `voicebot/provider`, with their members',
  'api-services': 'The public names of `voicebot/services`, with their members',
  'api-embed': 'The public names of `voicebot/embed`, with their members',
  'api-testing': 'The public names of `voicebot/testing`, with their members',
  'command-line': 'Commands, arguments and options',
  'json-lines': 'The lines of `--json`: command, event and fields; `any` is any command',
  events: 'Application events, with their fields',
  http: 'The addresses that a runner answers, with the fields of what is sent and answered as JSON',
  settings: 'Settings',
  endings: 'Why calls end, and how calls of campaigns and transfers come out',
  errors: 'Error codes',
  'call-folders': 'The files of a call folder, with their fields',
  journals: 'What outlives a process in the state directory, in the Redis of a cluster, and in the folder of a tour',
};

const ENDINGS = [
  ['src/call/call.ts', 'EndReason'],
  ['src/call/call.ts', 'BotEndReason'],
  ['src/call/campaign-progress.ts', 'CampaignOutcome'],
  ['src/call/transfer-outcome.ts', 'TransferOutcome'],
  ['src/call/do-not-call.ts', 'DoNotCallOutcome'],
];

/** @param root of a clone that is compiled */
export async function reportsOf(root = ROOT) {
  const loaded = loadProgram(root);
  const described = (...describe) => {
    const fields = new Fields(loaded);
    for (const one of describe) one(loaded, fields);
    return fields.items;
  };
  const types = (list) => (_, fields) => addTypes(loaded, fields, list);
  const doors = Object.keys(DOORS).map((door) => [`api-${door.replace('voicebot/', '')}`, apiOf(loaded, DOORS, door)]);
  return {
    ...Object.fromEntries(doors),
    'command-line': await commandLineOf(root),
    'json-lines': described(addJsonLines),
    events: described(addEvents),
    http: described(addWrittenAddresses, addAddresses, addRequests),
    settings: await settingsOf(root),
    endings: described(types(ENDINGS)),
    errors: await errorsOf(root),
    'call-folders': described(addFolderFiles, types(FOLDER)),
    journals: described(addStateFolders, addRedisKeys, types(JOURNALS)),
  };
}

/** `call.started.linkedTo` is the field of the data of an event. */
function addEvents(loaded, fields) {
  const { checker } = loaded;
  const type = declaredType(loaded, 'src/runner/events/application-event.ts', 'ApplicationEvent');
  for (const event of type.types) {
    const of = (name) => checker.getTypeOfSymbol(checker.getPropertyOfType(event, name));
    fields.addTo(of('type').value, of('data'));
  }
}

/** Sorted by the code of characters, so that every machine writes the same. */
export const textOf = (name, items) =>
  [`# ${TITLES[name]}`, ...[...items].map(([item, text]) => `${item}: ${text}`).sort()].join('\n').concat('\n');
