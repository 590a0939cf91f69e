import '../page.css';
import './report.css';
import { render } from 'preact';
import { useMemo } from 'preact/hooks';
import { CALL_DATA_ID, type CallPageData } from '../../call/view/call-page-data.js';
import { KnownCall } from '../call/known-call.js';
import type { RecordingSource } from '../link/recording-source.js';
import { NotThere } from '../link/runner-link.js';

/** The page of one call that needs no runner: all that it shows, and the sound, is in it. */
function CallPage({ title, back, tone, notes, record, events, kept, recording, errors }: CallPageData) {
  const source = useMemo(() => recordingIn(recording), [recording]);
  const call = useMemo(() => ({ link: 'over' as const, record, events, kept }), [record, events, kept]);
  return (
    <main id="content">
      <nav aria-label="Back">
        <a class="back" href={back}>
          ← All scenarios
        </a>
      </nav>
      <section class={`outcome ${tone}`} aria-label="Scenario">
        <h2>
          <span aria-hidden="true">{tone === 'good' ? '✓' : '✖'}</span> {title}
        </h2>
        {notes.length > 0 && <pre>{notes.join('\n')}</pre>}
      </section>
      <KnownCall call={call} record={record} recording={source} sectionOf={async (code) => errors[code]} />
    </main>
  );
}

/** The recording that the page itself has. */
function recordingIn(recording: CallPageData['recording']): RecordingSource {
  return {
    async peaks() {
      if (!recording) throw new NotThere('the call has no recording');
      return recording.peaks;
    },
    async address() {
      const bytes = Uint8Array.from(atob(recording?.audio ?? ''), (character) => character.charCodeAt(0));
      return URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }));
    },
  };
}

const data = document.getElementById(CALL_DATA_ID)?.textContent ?? '';
render(<CallPage {...JSON.parse(data)} />, document.getElementById('page') as HTMLElement);
