import { useCallback, useMemo } from 'preact/hooks';
import { errorSectionOf } from '../../call/view/error-section.js';
import { recordingAtRunner } from '../link/recording-source.js';
import { ask } from '../link/runner-link.js';
import type { CallView as CallState } from '../link/use-call.js';
import { KnownCall } from './known-call.js';

export interface CallViewProps {
  readonly id: string;
  /** What is known of it. */
  readonly call: CallState;
  readonly token: string | undefined;
  /** What is said in it stands beside the phone. */
  readonly isToldElsewhere: boolean;
}

const STATES: Partial<Record<CallState['link'], string>> = {
  not_there: 'The runner knows no such call.',
  gone: 'The runner does not answer: the call is shown when it does.',
};

/** One call of the runner: why it ended, how it sounds, what was said, and what happened behind it. */
export function CallView({ id, call, token, isToldElsewhere }: CallViewProps) {
  const recording = useMemo(() => recordingAtRunner(id, token), [id, token]);
  const sectionOf = useCallback(
    async (code: string, signal: AbortSignal) =>
      errorSectionOf(await (await ask('/docs/errors.md', token, signal)).text(), code),
    [token],
  );
  const { record, link } = call;
  return (
    <>
      <nav aria-label="Back">
        <a class="back" href="#/">
          ← All calls
        </a>
      </nav>
      {record ? (
        <KnownCall {...{ call, record, recording, sectionOf, isToldElsewhere }} />
      ) : (
        <p class="panel" role="status">
          {STATES[link] ?? 'Loading the call …'}
        </p>
      )}
    </>
  );
}
