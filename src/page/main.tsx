import './page.css';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallView } from './call/call-view.js';
import { keepToken, takeToken } from './link/runner-link.js';
import { useShownState } from './link/shown-state.js';
import { liveCallsOf, type RunnerView, useRunner } from './link/use-runner.js';
import { ListView } from './list/list-view.js';
import { words } from './parts/format.js';
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

const STATES: Record<string, string> = {
  ready: 'Ready for calls',
  no_bot: 'No bot is ready: the next caller has to wait',
  unreachable: 'The tunnel is down: calls cannot come',
  stopping: 'Stopping: no new calls',
  gone: 'The runner does not answer',
  locked: 'The runner wants its token',
  connecting: 'Connecting …',
};

/** The name of the page, and how the runner is. */
function Header({ runner: { link, status } }: { runner: RunnerView }) {
  const shown = useShownState(status);
  const state = link === 'open' ? (shown ?? 'connecting') : link;
  const live = link === 'open' && status ? liveCallsOf(status) : 0;
  return (
    <header class="top">
      <a class="name" href="#/">
        voicebot
      </a>
      <p class="runner-state" role="status" data-state={state}>
        {STATES[state] ?? words(state)}
        {live > 0 && ` · ${live === 1 ? '1 call' : `${live} calls`} going on`}
      </p>
      {status?.standIns && <span class="chip neutral">no keys: stand-ins in place of services</span>}
    </header>
  );
}

/** Asks for the runner's token. */
function TokenForm({ onToken }: { onToken: (token: string) => void }) {
  const [token, setToken] = useState('');
  return (
    <form
      class="panel token"
      onSubmit={(event) => {
        event.preventDefault();
        if (token !== '') onToken(token);
      }}
    >
      <h1>The runner wants its token</h1>
      <p>
        It was started with <code>VOICEBOT_TOKEN</code>. This page keeps the token until its tab is closed.
      </p>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value.trim())}
        />
      </label>
      <button type="submit">Show the calls</button>
    </form>
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
