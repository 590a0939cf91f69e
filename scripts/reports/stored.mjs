// What is kept on the disk and in Redis: names of folders, files and keys as the code writes them, and the fields of their types.
import { callsIn, declaredType, ts } from './program.mjs';

/** What journals hold, by the types that are written. */
export const JOURNALS = [
  ['src/runner/numbers/lease-entry.ts', 'LeaseEntry'],
  ['src/runner/calls/debts/hangup-journal.ts', 'HangupEntry'],
  ['src/runner/campaigns/campaign.ts', 'Campaign'],
  ['src/runner/campaigns/campaign.ts', 'CampaignEntry'],
  ['src/runner/events/event-journal.ts', 'FolderOwner'],
  ['src/runner/events/outbox-file.ts', 'OutboxLine'],
  ['src/runner/dialing/do-not-call/list-change.ts', 'ListChange'],
  ['src/runner/dialing/day-ledger.ts', 'LedgerLine'],
  ['src/runner/http/elsewhere.ts', 'PortableCall'],
  ['src/runner/calls/life/call-moves.ts', 'PackedCall'],
  ['src/runners/running-runners.ts', 'RunningRunner'],
  ['src/runner/costs/most-of-call.ts', 'Measured'],
  ['src/lab/certify/certificate.ts', 'Certificate'],
  ['src/lab/certify/certify-folder.ts', 'KeptSteps'],
  ['src/lab/certify/wire/wire-item.ts', 'WireItem'],
];

/** What a call folder holds. */
export const FOLDER = [
  ['src/call/folder/read-record.ts', 'RecordFile'],
  ['src/call/folder/transcript.ts', 'TranscriptEntry'],
  ['src/call/timeline.ts', 'TimelineEvent'],
];

export function addTypes(loaded, fields, types) {
  for (const [path, name] of types) fields.addNamed(name, declaredType(loaded, path, name));
}

/** The folders below the state directory, by what is joined to it. */
export function addStateFolders(loaded, fields) {
  for (const call of callsIn(loaded, /^src\//)) {
    if (call.expression.getText() !== 'join') continue;
    const [base, name] = call.arguments;
    if (!base || !name || !/(?:^|\.)stateDirectory$/.test(base.getText())) continue;
    const type = loaded.checker.getTypeAtLocation(name);
    for (const word of type.isUnion() ? type.types : [type])
      if (word.isStringLiteral() && !word.value.startsWith('.'))
        fields.items.set(`folder ${word.value}`, 'folder of the state directory');
  }
}

/** The names of the files of a call folder, as the code of that folder writes them. */
export function addFolderFiles(loaded, fields) {
  for (const file of loaded.program.getSourceFiles()) {
    if (!/^src\/(?:call\/folder|runner\/(?:bots|calls\/life))\//.test(loaded.pathOf(file.endOfFileToken))) continue;
    ts.forEachChild(file, function look(node) {
      if (ts.isStringLiteral(node) && /^[a-z][\w-]*\.(?:json|ndjson|wav)$/.test(node.text))
        fields.items.set(`file ${node.text}`, 'file of a call folder');
      ts.forEachChild(node, look);
    });
  }
}

/** The kinds of keys in a cluster's Redis. */
export function addRedisKeys(loaded, fields) {
  for (const call of callsIn(loaded, /^src\/cluster\//)) {
    const { expression, arguments: given } = call;
    if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'key') continue;
    if (given[0] && ts.isStringLiteral(given[0])) fields.items.set(`key ${given[0].text}`, 'key in Redis');
  }
}
