import './page.css';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallView } from './call/call-view.js';
import { keepToken, takeToken } from './link/runner-link.js';
import { liveCallsOf, useRunner } from './link/use-runner.js';
import { ListView } from './list/list-view.js';
import { Header } from './parts/header.js';
import { TokenForm } from './parts/token-form.js';
import { Phone } from './phone/phone.js';

function Page() {
  const [token, setToken] = useState(takeToken);
  const place = useHash();
  const runner = useRunner(token);
  const callId = callIdIn(place);
  const content = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const live = runner.status ? liveCallsOf(runner.status) : 0;
  useEffect(() => {
    document.title = live > 0 ? `(${live}) voicebot` : 'voicebot';
  }, [live]);
  useEffect(() => {
    // Another view begins at its top, also for those who hear the page.
    if (!isFirst.current) scrollTo(0, 0);
    if (!isFirst.current) content.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [callId]);
  return (
    <>
      <button type="button" class="skip" onClick={() => content.current?.focus()}>
        Skip to the content
      </button>
      <Header runner={runner} />
      <main id="content" tabIndex={-1} ref={content}>
        {runner.link === 'locked' ? (
          <TokenForm onToken={(typed) => setToken(keepToken(typed))} />
        ) : (
          <>
            <Phone runner={runner} token={token} isAside={callId !== undefined} />
            {callId === undefined ? (
              <ListView runner={runner} token={token} />
            ) : (
              <CallView key={callId} id={callId} token={token} />
            )}
          </>
        )}
      </main>
    </>
  );
}

/** Undefined for the list, and for what is no identifier. */
function callIdIn(hash: string): string | undefined {
  const [, id] = /^#\/calls\/([^/]+)/.exec(hash) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

/** What stands behind the `#` of the address. */
function useHash(): string {
  const [hash, setHash] = useState(() => location.hash);
  useEffect(() => {
    const look = () => setHash(location.hash);
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return hash;
}

render(<Page />, document.getElementById('page') as HTMLElement);
