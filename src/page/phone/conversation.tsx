import { useMemo } from 'preact/hooks';
import { Transcript } from '../call/transcript.js';
import { type Playback, usePlayback } from '../call/use-playback.js';
import '../call/call.css';
import { recordingStartOf } from '../../call/view/events.js';
import { type RecordingSource, recordingAtRunner } from '../link/recording-source.js';
import { NotThere } from '../link/runner-link.js';
import { type CallView, isOverFor } from '../link/use-call.js';
import { Guarded } from '../parts/guarded.js';
import type { PhoneView } from './handset.js';

export interface ConversationProps {
  readonly view: PhoneView;
  readonly call: CallView;
  /** Of a call that is over. Default: nothing is played. */
  readonly playback?: Playback | undefined;
}

/** What is said in the phone's call, while it is said. */
export function Conversation({ view, call, playback }: ConversationProps) {
  return (
    <section class="conversation" aria-labelledby="conversation-title">
      <h2 id="conversation-title">Conversation</h2>
      {view.callId === undefined || call.record === undefined ? (
        <p class="quiet">What is said appears here.</p>
      ) : (
        <Guarded>
          <Said call={call} playback={playback} />
        </Guarded>
      )}
    </section>
  );
}

function Said({ call, playback }: Pick<ConversationProps, 'call' | 'playback'>) {
  const silent = usePlayback(NOTHING, true);
  return (
    <Transcript events={call.events} base={startOf(call)} playback={playback ?? silent} isOver={isOverFor(call)} />
  );
}

/** The recording of the phone's call, once that is over. */
export function usePhoneRecording(call: CallView, id: string, token: string | undefined): Playback {
  const isOver = isOverFor(call);
  const recording = useMemo(() => (isOver ? recordingAtRunner(id, token) : NOTHING), [id, token, isOver]);
  return usePlayback(recording, true);
}

const startOf = ({ events, kept, record }: CallView): number =>
  recordingStartOf(events.slice(0, FIRST_EVENTS)) ?? kept?.audio?.startedAt ?? record?.startedAt ?? 0;

const FIRST_EVENTS = 500;

const NOTHING: RecordingSource = {
  peaks: async () => {
    throw new NotThere('nothing is played while the call goes on');
  },
  address: async () => '',
};
