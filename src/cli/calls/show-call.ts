import { costText } from '../../call/call-cost.js';
import { folderFigures } from '../../call/folder/folder-figures.js';
import type { PlacedCall } from '../../call/placed-call.js';
import type { Output } from '../../terminal/output.js';
import { aligned } from '../../terminal/table.js';
import { lengthOf, stateOf } from './call-text.js';
import { costReport } from './cost-report.js';
import { folderReport } from './folder-report.js';
import type { KnownCall } from './known-calls.js';

/** Shows all that is known of one call. */
export async function showCall({ record, folder }: KnownCall, output: Output): Promise<void> {
  const { path, transcript, audio, missing } = folder ?? {};
  const figures = folder && (await folderFigures(folder));
  output.event('call', {
    callId: record.id,
    call: record,
    ...(folder && { folder: path, transcript, audio, figures, missing }),
  });
  const rows: Array<[name: string, value: string | number | undefined]> = [
    ...rowsOf(record),
    ['cost', record.cost && costText(record.cost)],
    ['recording', audio && `${(audio.durationMs / 1_000).toFixed(1)} s`],
  ];
  const known = rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  for (const row of aligned(known)) output.result(row);
  for (const line of record.cost ? costReport(record.cost) : []) output.result(line);
  for (const line of folder && figures ? folderReport(folder, figures, record.startedAt) : []) output.result(line);
}

function rowsOf(call: PlacedCall): Array<[name: string, value: string | number | undefined]> {
  return [
    ['call', call.id],
    ['carrier id', call.providerCallId],
    ['direction', call.direction],
    ['from', call.from ?? 'withheld'],
    ['to', call.to],
    ['state', stateOf(call)],
    ['reason', call.endReason],
    ['answered by', call.answeredBy],
    ['bot', call.attempt],
    ['machine', call.machine],
    ['started', timeOf(call.startedAt)],
    ['answered', timeOf(call.answeredAt)],
    ['connected', timeOf(call.connectedAt)],
    ['ended', timeOf(call.endedAt)],
    ['seconds', lengthOf(call)],
  ];
}

const timeOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
