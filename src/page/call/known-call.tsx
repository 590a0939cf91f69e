import { useEffect, useMemo, useState } from 'preact/hooks';
import { callLengthMs } from '../../call/call-length.js';
import type { CallRecord } from '../../call/call-record.js';
import type { HeardNotice } from '../../call/disclosure.js';
import { conclusionOf, sentenceOf } from '../../call/view/conclusion.js';
import type { ErrorSection } from '../../call/view/error-section.js';
import { recordingStartOf } from '../../call/view/events.js';
import { servicesOf, type UsedServices } from '../../call/view/services.js';
import type { RecordingSource } from '../link/recording-source.js';
import { type CallView as CallState, isOverFor } from '../link/use-call.js';
import { clock, fullMoment, isoMoment } from '../parts/format.js';
import { Guarded } from '../parts/guarded.js';
import { Copyable, Fact, StateChip, useNow } from '../parts/parts.js';
import './call.css';
import { Cost } from './call-cost.js';
import { CallLog } from './call-log.js';
import { ExceptionNote } from './exception-note.js';
import { Ladder } from './ladder.js';
import { Player } from './player.js';
import { Tabs } from './tabs.js';
import { Timing } from './timing.js';
import { Transcript } from './transcript.js';
import { usePlayback } from './use-playback.js';

/** What the documentation says of the code of an error; undefined where it says nothing. */
export type SectionOf = (code: string, signal: AbortSignal) => Promise<ErrorSection | undefined>;

export interface KnownCallProps {
  readonly call: CallState;
  readonly record: CallRecord;
  readonly recording: RecordingSource;
  readonly sectionOf: SectionOf;
  /** What is said in it stands elsewhere on the page. Default false. */
  readonly isToldElsewhere?: boolean;
}

/** A call of which the record is there. */
export function KnownCall({ call, record, recording, sectionOf, isToldElsewhere = false }: KnownCallProps) {
  const { events, kept } = call;
  const isOver = isOverFor(call);
  const conclusion = useMemo(() => conclusionOf(record, events, isOver), [record, events, isOver]);
  const base = useMemo(
    () => recordingStartOf(events.slice(0, FIRST_EVENTS)) ?? kept?.audio?.startedAt ?? record.startedAt,
    [events.length < FIRST_EVENTS ? events : undefined, kept, record.startedAt],
  );
  const isLong = (events.at(-1)?.at ?? base) - base >= 3_600_000;
  const services = useMemo(() => servicesOf(events), [events]);
  const playback = usePlayback(recording, isOver);
  return (
    <>
      <Head record={record} services={services} cutOffAt={isOver ? events.at(-1)?.at : undefined} />
      <div class={`conclusion ${conclusion.tone}`} role="status">
        <p>{sentenceOf(conclusion)}</p>
        {conclusion.exception && <ExceptionNote exception={conclusion.exception} />}
        {conclusion.code && <ErrorCodeNote code={conclusion.code} sectionOf={sectionOf} />}
      </div>
      {kept && kept.missing.length > 0 && <Missing missing={kept.missing} />}
      <Guarded>
        <Player playback={playback} base={base} events={events} isOver={isOver} />
      </Guarded>
      <div class={`columns ${isLong ? 'are-long' : ''} ${isToldElsewhere ? 'is-one' : ''}`}>
        {!isToldElsewhere && (
          <section class="panel" aria-labelledby="transcript-title">
            <h2 id="transcript-title">Transcript</h2>
            <Guarded>
              <Transcript events={events} base={base} playback={playback} isOver={isOver} />
            </Guarded>
          </section>
        )}
        <section class="panel" aria-labelledby="happened-title">
          <h2 id="happened-title" class="unseen">
            What happened
          </h2>
          <Tabs
            tabs={{
              Timing: () => <Timing {...{ events, base, isOver }} figures={kept?.figures} onSeek={playback.seek} />,
              Messages: () => <Ladder events={events} base={base} />,
              Log: () => <CallLog events={events} base={base} />,
            }}
          />
        </section>
      </div>
    </>
  );
}

const FIRST_EVENTS = 500;

interface HeadProps {
  readonly record: CallRecord;
  readonly services: UsedServices;
  /** When the last thing is known of a call that is over and has no end. */
  readonly cutOffAt: number | undefined;
}

function Head({ record, services, cutOffAt }: HeadProps) {
  const now = useNow(record.state !== 'ended' && cutOffAt === undefined);
  const length = callLengthMs(record, cutOffAt ?? now);
  return (
    <div class="call-head">
      <h1>
        <span>{record.from === undefined ? 'withheld' : record.from || 'unknown'}</span> <span class="quiet">→</span>{' '}
        <span>{record.to || 'unknown'}</span> <StateChip call={record} />
      </h1>
      <dl class="facts">
        {record.botFile && <Fact name="Bot">{record.botFile}</Fact>}
        <Fact name="Direction">{record.direction === 'inbound' ? 'Incoming' : 'Outgoing'}</Fact>
        <Fact name="Began">
          <time dateTime={isoMoment(record.startedAt)}>{fullMoment(record.startedAt)}</time>
        </Fact>
        <Fact name="Length">{length === undefined ? 'never connected' : clock(length)}</Fact>
        {record.attempt > 1 && <Fact name="Bots">{record.attempt}</Fact>}
        {record.reconnects !== undefined && <Fact name="Brought back">{record.reconnects} times</Fact>}
        {record.answeredBy && <Fact name="Answered by">a {record.answeredBy}</Fact>}
        {record.disclosure && <Fact name="Told that a machine speaks">{heardWords(record.disclosure)}</Fact>}
        {record.recordingRemovedAt !== undefined && (
          <Fact name="Recording">removed, as a party wished, {fullMoment(record.recordingRemovedAt)}</Fact>
        )}
        {services.names.length > 0 && <Fact name="Services">{services.names.join(', ')}</Fact>}
        {record.cost && (
          <Fact name="Cost">
            <Cost cost={record.cost} />
          </Fact>
        )}
        {services.areStandIns && <Fact name="Marked as">served by stand-ins</Fact>}
        <Fact name="Call id">
          <Copyable text={record.id} />
        </Fact>
      </dl>
    </div>
  );
}

/** When it was heard, and how that is known. */
const heardWords = ({ from, to, evidence }: HeardNotice) =>
  `${fullMoment(from)}, ${((to - from) / 1_000).toFixed(1)} s, ${evidence === 'sent' ? 'sent' : 'acknowledged as played'}`;

/** What a damaged folder lacks. */
function Missing({ missing }: { missing: readonly string[] }) {
  return (
    <div class="conclusion neutral">
      <p>Not everything of this call is there:</p>
      <ul>
        {missing.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </div>
  );
}

/** The code of an error, and what the documentation says of it. */
function ErrorCodeNote({ code, sectionOf }: { code: string; sectionOf: SectionOf }) {
  const [section, setSection] = useState<ErrorSection>();
  useEffect(() => {
    const over = new AbortController();
    setSection(undefined);
    sectionOf(code, over.signal)
      .then(setSection)
      .catch(() => undefined); // the code stands there all the same
    return () => over.abort();
  }, [code, sectionOf]);
  if (!section) return <code>{code}</code>;
  return (
    <details class="error-code">
      <summary>
        <code>{code}</code> <span class="quiet">{section.summary}</span>
      </summary>
      <dl>
        <dt>Cause</dt>
        <dd>{section.cause}</dd>
        <dt>Cure</dt>
        <dd>{section.cure}</dd>
      </dl>
    </details>
  );
}
