import { useEffect, useMemo, useRef } from 'preact/hooks';
import { placeOf } from '../../base/exception/exception.js';
import { conclusionOf } from '../../call/view/conclusion.js';
import { type CallView, isOverFor } from '../link/use-call.js';
import type { RunnerView } from '../link/use-runner.js';
import { clock } from '../parts/format.js';
import { Conversation, usePhoneRecording } from './conversation.js';
import type { Handset, PhoneView } from './handset.js';
import { CallIcon } from './icons.js';
import { PhoneNews } from './phone-news.js';

export interface OverCallProps {
  readonly runner: RunnerView;
  readonly token: string | undefined;
  readonly phone: Handset;
  readonly view: PhoneView;
  readonly call: CallView;
}

/** How the phone's call ended, what was said in it, and what one may do next. */
export function OverCall({ runner, token, phone, view, call }: OverCallProps) {
  const id = view.callId ?? '';
  const playback = usePhoneRecording(call, id, token);
  const again = useRef<HTMLButtonElement>(null);
  // The button that had the focus is gone with the call.
  useEffect(() => {
    if (document.activeElement === document.body) again.current?.focus({ preventScroll: true });
  }, []);
  const { isPlaying, positionMs, peaks, isMissing } = playback;
  const isRecorded = peaks !== undefined && peaks.durationMs > 0;
  const isOver = isOverFor(call);
  const isGone = runner.link === 'gone';
  const { record, events } = call;
  const exception = useMemo(() => record && conclusionOf(record, events, isOver).exception, [record, events, isOver]);
  return (
    <div class="over">
      <div class="news-and-why">
        <PhoneNews view={view} record={call.record} hasLink={false} />
        {exception && (
          <p class="wrong">
            {exception.error} <code>{placeOf(exception)}</code>
          </p>
        )}
      </div>
      <div class="next">
        <button type="button" class="main" ref={again} disabled={isGone} onClick={() => void phone.callAgain()}>
          <CallIcon /> Call again
        </button>
        {(isRecorded || !isOver) && (
          <button type="button" disabled={!isRecorded} onClick={playback.toggle}>
            {isPlaying ? 'Pause' : 'Play'}
          </button>
        )}
        {isGone ? (
          <button type="button" disabled>
            Open
          </button>
        ) : (
          <a class="button" href={`#/calls/${encodeURIComponent(id)}`}>
            Open
          </a>
        )}
        <button type="button" class="quiet" onClick={() => phone.putAway()}>
          Done
        </button>
      </div>
      <p class="played quiet">
        {playback.problem ??
          (isRecorded && positionMs > 0
            ? `${clock(positionMs)} / ${clock(peaks.durationMs)}`
            : isOver && isMissing && !isRecorded
              ? 'No recording is kept.'
              : '')}
      </p>
      <Conversation view={view} call={call} playback={playback} />
    </div>
  );
}
