import { costText } from '../../call/call-cost.js';
import { callLengthMs } from '../../call/call-length.js';
import { type PlacedCall, placesOf } from '../../call/placed-call.js';
import { clock, duration, fullMoment, isoMoment, moment } from '../parts/format.js';
import { StateChip } from '../parts/parts.js';

export interface CallsTableProps {
  readonly calls: readonly PlacedCall[];
  readonly now: number;
  readonly label: string;
  /** They are not all of one bot. Default false. */
  readonly namesBots?: boolean;
}

/** Calls, one a line; each leads to its own view. */
export function CallsTable({ calls, now, label, namesBots = false }: CallsTableProps) {
  const isCluster = calls.some(({ machine }) => machine !== undefined);
  const placeOf = placesOf(calls);
  const isMeasured = calls.some(({ summary }) => summary?.answerMs !== undefined);
  const isPriced = calls.some(({ cost }) => cost !== undefined);
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
          {isMeasured && (
            <th
              scope="col"
              class="number"
              title="The median of its answers, from the caller's last sound until they heard one"
            >
              Answer
            </th>
          )}
          {isPriced && (
            <th scope="col" class="number" title="An estimate by the prices of the runner">
              Cost
            </th>
          )}
          {isCluster && <th scope="col">Machine</th>}
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <Row
            key={call.id}
            {...{ call, now, namesBots, isMeasured, isPriced }}
            place={isCluster ? placeOf(call) : undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly call: PlacedCall;
  readonly now: number;
  readonly namesBots: boolean;
  /** Which runner has it; undefined where there is one only. */
  readonly place: string | undefined;
  readonly isMeasured: boolean;
  readonly isPriced: boolean;
}

function Row({ call, now, namesBots, place, isMeasured, isPriced }: RowProps) {
  const { lastWords, answerMs, thrown } = call.summary ?? {};
  const length = callLengthMs(call, now);
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
        {namesBots && call.botFile && <span class="quiet"> {call.botFile}</span>}
        {lastWords && (
          <span class="last-words" title={lastWords.text}>
            <span class={lastWords.speaker}>{lastWords.speaker === 'caller' ? 'Caller' : 'Bot'}</span> {lastWords.text}
          </span>
        )}
      </td>
      <td class="state">
        <StateChip call={call} />
        {thrown && (
          <span class="chip bad thrown" title={thrown.error}>
            error{thrown.place && ` at ${thrown.place}`}
          </span>
        )}
        {call.isLocal && <span class="chip">on this machine</span>}
        {call.attempt > 1 && <span class="chip warn">bot no. {call.attempt}</span>}
      </td>
      <td class="began">
        <time dateTime={isoMoment(call.startedAt)} title={fullMoment(call.startedAt)}>
          {moment(call.startedAt, now)}
        </time>
      </td>
      <td class="number length">{length === undefined ? '–' : clock(length)}</td>
      {isMeasured && <td class="number answer">{answerMs === undefined ? '' : duration(answerMs)}</td>}
      {isPriced && <td class="number cost">{call.cost && costText(call.cost)}</td>}
      {place !== undefined && <td class="machine">{place}</td>}
    </tr>
  );
}
