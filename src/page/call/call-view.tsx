import { useCallback, useMemo } from 'preact/hooks';
import { errorSectionOf } from '../../call/view/error-section.js';
import { recordingAtRunner } from '../link/recording-source.js';
import { ask } from '../link/runner-link.js';
import { useCall } from '../link/use-call.js';
import { KnownCall } from './known-call.js';

/** One call of the runner: why it ended, how it sounds, what was said, and what happened behind it. */
export function CallView({ id, token }: { id: string; token: string | undefined }) {
  const call = useCall(id, token);
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
        <KnownCall call={call} record={record} recording={recording} sectionOf={sectionOf} />
      ) : (
        <p class="panel" role="status">
          {link === 'not_there' ? 'The runner knows no such call.' : 'Loading the call …'}
        </p>
      )}
    </>
  );
}
