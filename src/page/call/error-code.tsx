import { useEffect, useState } from 'preact/hooks';
import { type ErrorSection, errorSectionOf } from '../../call/view/error-section.js';
import { ask } from '../link/runner-link.js';

/** The code of an error, and what the documentation says of it. */
export function ErrorCodeNote({ code, token }: { code: string; token: string | undefined }) {
  const [section, setSection] = useState<ErrorSection>();
  useEffect(() => {
    const over = new AbortController();
    ask('/docs/errors.md', token, over.signal)
      .then((answer) => answer.text())
      .then((page) => setSection(errorSectionOf(page, code)))
      .catch(() => undefined); // the code stands there all the same
    return () => over.abort();
  }, [code, token]);
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
