import './list.css';
import { useEffect, useState } from 'preact/hooks';
import { stateWords } from '../../call/end-text.js';
import type { PlacedCall } from '../../call/placed-call.js';
import { askJsonPatiently } from '../link/runner-link.js';
import type { RunnerView } from '../link/use-runner.js';
import { fullMoment } from '../parts/format.js';
import { Copyable, Fact, toneOf, useNow } from '../parts/parts.js';
import { CallsTable } from './calls-table.js';
import { Campaigns } from './campaigns.js';
import { RunnersTable } from './runners-table.js';

const SHOWN = 100;
const KINDS = { all: 'All', live: 'Live', failed: 'Failed' } as const;
type Kind = keyof typeof KINDS;

export interface ListViewProps {
  readonly runner: RunnerView;
  readonly token: string | undefined;
  /** Nothing stands above it. */
  readonly isAlone: boolean;
  /** A phone with a button to call the bot stands above it. */
  readonly hasPhone: boolean;
}

/** The runner, and all calls. */
export function ListView({ runner, token, isAlone, hasPhone }: ListViewProps) {
  const earlier = useEarlierCalls(token, runner.status?.startedAt);
  const [text, setText] = useState('');
  const [kind, setKind] = useState<Kind>('all');
  const hasLive = runner.calls.some(({ state }) => state !== 'ended');
  const now = useNow(hasLive);

  const known = new Set(runner.calls.map(({ id }) => id));
  const fits = (call: PlacedCall) => isOfKind(call, kind) && hasText(call, text);
  const calls = newestFirst(runner.calls.filter(fits));
  const shown = withoutOldest(calls);
  const before = (earlier ?? []).filter((call) => !known.has(call.id) && fits(call));
  const hasAny = runner.calls.length + (earlier?.length ?? 0) > 0;
  return (
    <>
      {isAlone && (
        <nav aria-label="Back">
          <a class="back" href="#/">
            ← The phone
          </a>
        </nav>
      )}
      <Facts runner={runner} />
      <Campaigns campaigns={runner.campaigns} token={token} />
      {runner.status?.cluster && <RunnersTable cluster={runner.status.cluster} />}
      <section aria-labelledby="calls-title">
        <div class="bar">
          {isAlone ? <h1 id="calls-title">Calls</h1> : <h2 id="calls-title">Calls</h2>}
          {hasAny && <Filter text={text} setText={setText} kind={kind} setKind={setKind} />}
        </div>
        {!hasAny && earlier && runner.status && <FirstCall runner={runner} hasPhone={hasPhone} />}
        {shown.length > 0 && <CallsTable calls={shown} now={now} label="Calls of this run" />}
        {calls.length > shown.length && (
          <p class="quiet">
            And {calls.length - shown.length} earlier ones: <code>npx voicebot calls</code>
          </p>
        )}
        {hasAny && calls.length + before.length === 0 && <p class="quiet">No call fits the filter.</p>}
      </section>
      {before.length > 0 && (
        <section aria-labelledby="earlier-title">
          <h2 id="earlier-title">Earlier runs</h2>
          <CallsTable calls={before} now={now} label="Calls of earlier runs" namesBots />
        </section>
      )}
    </>
  );
}

function Facts({ runner: { status } }: { runner: RunnerView }) {
  if (!status) return null;
  return (
    <dl class="facts">
      <Fact name="Bot">
        {status.botFile} <span class="quiet">({status.transport})</span>
      </Fact>
      <Fact name="Number">{status.number === null ? 'not known' : <Copyable text={status.number} />}</Fact>
      {!status.isSandbox && (
        <Fact name="Public address">
          <Copyable text={status.publicUrl} />
        </Fact>
      )}
      <Fact name="Running since">{fullMoment(status.startedAt)}</Fact>
    </dl>
  );
}

interface FilterProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly kind: Kind;
  readonly setKind: (kind: Kind) => void;
}

function Filter({ text, setText, kind, setKind }: FilterProps) {
  return (
    <search class="filter">
      <input
        type="search"
        aria-label="Filter calls"
        placeholder="Number, id or reason"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <fieldset class="choice">
        <legend class="unseen">Which calls</legend>
        {Object.entries(KINDS).map(([name, label]) => (
          <label key={name}>
            <input type="radio" name="kind" checked={kind === name} onChange={() => setKind(name as Kind)} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
    </search>
  );
}

/** What to do when there has been no call yet. */
function FirstCall({ runner: { status }, hasPhone }: Pick<ListViewProps, 'runner' | 'hasPhone'>) {
  if (!status) return null;
  const { number, isSandbox } = status;
  return (
    <div class="empty">
      <p>
        <strong>No call yet.</strong>
      </p>
      <p>
        {hasPhone ? 'Click Call above' : 'Call the bot'}
        {isSandbox && (
          <>
            {hasPhone && ', or call the bot'} from another terminal: <code>npx voicebot call</code>
          </>
        )}
        {!isSandbox && number !== null && (
          <>
            {hasPhone && ', or'} with a telephone, at <code>{number}</code>
          </>
        )}
        .
      </p>
      <p class="quiet">
        {isSandbox && status.botFile.includes('.')
          ? 'Save the bot while this page is open: the next call has the new code.'
          : 'The call appears here while it goes on.'}
      </p>
    </div>
  );
}

function isOfKind(call: PlacedCall, kind: Kind): boolean {
  if (kind === 'live') return call.state !== 'ended';
  return kind === 'all' || toneOf(call) === 'bad' || call.summary?.thrown !== undefined;
}

function hasText(call: PlacedCall, text: string): boolean {
  const wanted = text.trim().toLowerCase().replaceAll('_', ' ');
  const { id, providerCallId, from, to, botFile, state, endReason, machine, summary } = call;
  const lastWords = summary?.lastWords?.text;
  return [id, providerCallId, from, to, botFile, state, endReason, machine, stateWords(call), lastWords].some((each) =>
    each?.toLowerCase().replaceAll('_', ' ').includes(wanted),
  );
}

/** As many as a list shows; a call that goes on is always one of them. */
function withoutOldest(calls: readonly PlacedCall[]): readonly PlacedCall[] {
  const live = calls.filter(({ state }) => state !== 'ended');
  const ended = calls.filter(({ state }) => state === 'ended').slice(0, Math.max(0, SHOWN - live.length));
  return newestFirst([...live, ...ended]);
}

const newestFirst = (calls: readonly PlacedCall[]) => calls.toSorted((a, b) => b.startedAt - a.startedAt);

/** Calls that have left a folder, also those of earlier runs; undefined until they are known. */
function useEarlierCalls(token: string | undefined, startedAt: number | undefined): readonly PlacedCall[] | undefined {
  const [calls, setCalls] = useState<readonly PlacedCall[]>();
  useEffect(() => {
    if (startedAt === undefined) return;
    const over = new AbortController();
    askJsonPatiently<{ calls: PlacedCall[] }>('/folders', token, over.signal)
      .then((answer) => setCalls(answer.calls))
      .catch(() => over.signal.aborted || setCalls((known) => known ?? [])); // the list of this run is there all the same
    return () => over.abort();
  }, [token, startedAt]);
  return calls;
}
