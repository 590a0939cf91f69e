import type { PlacedCall } from '../../call/placed-call.js';
import { clock, fullMoment, isoMoment, moment, talked } from '../parts/format.js';
import { StateChip } from '../parts/parts.js';

/** Calls, one a line; each leads to its own view. */
export function CallsTable({ calls, now, label }: { calls: readonly PlacedCall[]; now: number; label: string }) {
  const isCluster = calls.some(({ machine }) => machine !== undefined);
  return (
    <table class="calls" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Call</th>
          <th scope="col">State</th>
          <th scope="col">Began</th>
          <th scope="col" class="number">
            Length
          </th>
          <th scope="col" class="number">
            Bot
          </th>
          {isCluster && <th scope="col">Machine</th>}
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <Row key={call.id} call={call} now={now} isCluster={isCluster} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ call, now, isCluster }: { call: PlacedCall; now: number; isCluster: boolean }) {
  const length = talked(call, now);
  const isInbound = call.direction === 'inbound';
  return (
    <tr class={call.state === 'ended' ? '' : 'is-live'}>
      <td class="who">
        <a href={`#/calls/${encodeURIComponent(call.id)}`} title={call.id}>
          <span class="direction" role="img" aria-label={isInbound ? 'Incoming' : 'Outgoing'}>
            {isInbound ? '↙' : '↗'}
          </span>
          <span class="from">{call.from === undefined ? 'withheld' : call.from || 'unknown'}</span>
          <span aria-hidden="true"> → </span>
          <span class="to">{call.to || 'unknown'}</span>
        </a>
      </td>
      <td class="state">
        <StateChip call={call} />
      </td>
      <td class="began">
        <time dateTime={isoMoment(call.startedAt)} title={fullMoment(call.startedAt)}>
          {moment(call.startedAt, now)}
        </time>
      </td>
      <td class="number length">{length === undefined ? '–' : clock(length)}</td>
      <td class="number bot">{call.attempt === 1 ? '' : `no. ${call.attempt}`}</td>
      {isCluster && <td class="machine">{call.machine}</td>}
    </tr>
  );
}
