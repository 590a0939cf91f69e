import './page.css';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunnerStatus } from '../call/runner-status.js';
import { CallView } from './call/call-view.js';
import { NotReloaded } from './call/not-reloaded.js';
import { hasToken, keepToken, takeToken } from './link/runner-link.js';
import { useShownState } from './link/shown-state.js';
import { useCall } from './link/use-call.js';
import { liveCallsOf, type RunnerView, useRunner } from './link/use-runner.js';
import { ListView } from './list/list-view.js';
import { FailingServices } from './parts/failing-services.js';
import { words } from './parts/format.js';
import { Phone } from './phone/phone.js';
import { useDialOrder } from './phone/use-dial-order.js';
import { usePhone, usePhoneNumbers } from './phone/use-phone.js';

function Page() {
  const { token, attempt, setToken } = useToken();
  const { callId, isList } = placeIn(useHash());
  const runner = useRunner(token, attempt);
  const { phone, view } = usePhone(token);
  const numbers = usePhoneNumbers(token, runner.status);
  const ownId = useKnownCall(runner, view.callId);
  const own = useCall(ownId, token, attempt);
  const isOwn = callId === view.callId;
  const other = useCall(isOwn ? undefined : callId, token, attempt);
  const order = useDialOrder(token);
  const content = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const live = runner.status ? liveCallsOf(runner.status) : 0;
  const isTalking = view.state !== 'idle';
  const place = callId === undefined && !isList ? 'first' : isTalking && isOwn ? 'own_call' : 'aside';
  useEffect(() => {
    document.title = live > 0 ? `(${live}) voicebot` : 'voicebot';
  }, [live]);
  useEffect(() => {
    // Another view begins at its top, also for those who hear the page.
    if (!isFirst.current) scrollTo(0, 0);
    if (!isFirst.current) content.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [callId, isList]);
  const isLocked = runner.link === 'locked';
  // A call has the window for itself: nothing in it has to be looked for.
  const isFilled = place === 'first' && isTalking && !isLocked;
  return (
    <div class={isFilled ? 'page is-filled' : 'page'}>
      <button type="button" class="skip" onClick={() => content.current?.focus()}>
        Skip to the content
      </button>
      <Header runner={runner} />
      <main id="content" tabIndex={-1} ref={content}>
        {isLocked ? (
          <TokenForm
            isRefused={token !== undefined && token === runner.token}
            onToken={(typed) => setToken(keepToken(typed))}
          />
        ) : (
          <>
            {runner.link === 'gone' && <Gone status={runner.status} />}
            {runner.link === 'open' && runner.status && !isFilled && <NotReloaded status={runner.status} />}
            {runner.link === 'open' && runner.status && <FailingServices status={runner.status} />}
            <Phone {...{ runner, token, order, phone, view, numbers, call: own, place }} />
            {isFilled && (
              <a class="elsewhere" href="#/calls">
                All calls
              </a>
            )}
            {callId !== undefined && (
              <CallView
                key={callId}
                id={callId}
                call={isOwn ? own : other}
                token={token}
                isToldElsewhere={place === 'own_call'}
              />
            )}
            {callId === undefined && !isFilled && (
              <ListView
                runner={runner}
                token={token}
                isAlone={isList}
                hasPhone={!isList && numbers !== undefined && numbers !== null}
              />
            )}
          </>
        )}
      </main>
    </div>
  );
}

/** The runner's token, as the page has it, and how often it was given: the same may be right the second time. */
function useToken() {
  const [{ token, attempt }, setGiven] = useState(() => ({ token: takeToken(), attempt: 0 }));
  const setToken = (given: string | undefined) => setGiven((last) => ({ token: given, attempt: last.attempt + 1 }));
  useEffect(() => {
    const look = () => hasToken() && setToken(takeToken());
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return { token, attempt, setToken };
}

/** The phone's call, as soon as the runner knows it, which learns of it from the network as of any. */
function useKnownCall({ calls }: RunnerView, id: string | undefined): string | undefined {
  const known = useRef<string | undefined>(undefined);
  if (calls.some((call) => call.id === id)) known.current = id;
  return known.current === id ? id : undefined;
}

/** What has started the runner, as far as the page knows: of the bot file it knows no folder. */
const runCommand = ({ isSandbox = false, standIns = false }: Partial<RunnerStatus> = {}): string =>
  ['npx voicebot run', ...(isSandbox ? ['--sandbox'] : []), ...(standIns ? ['--stand-ins'] : [])].join(' ');

/** The page is there, and the runner is not. */
function Gone({ status }: { status: RunnerStatus | undefined }) {
  return (
    <div class="conclusion bad gone" role="alert">
      <p>
        The runner does not answer. Start it again with <code>{runCommand(status)}</code>: this page goes on by itself.
      </p>
    </div>
  );
}

const STATES: Record<string, string> = {
  ready: 'Ready for calls',
  not_reloaded: 'Ready, with the code from before: the last save does not load',
  no_bot: 'No bot is ready: the next caller has to wait',
  unreachable: 'The public address does not lead here: calls cannot come',
  stopping: 'Stopping: no new calls',
  gone: 'The runner does not answer',
  locked: 'The runner wants its token',
  connecting: 'Connecting …',
};

/** The name of the page, and how the runner is. */
function Header({ runner: { link, status } }: { runner: RunnerView }) {
  const shown = useShownState(status);
  const isOld = shown === 'ready' && status?.notReloaded !== undefined;
  const state = link === 'open' ? (isOld ? 'not_reloaded' : (shown ?? 'connecting')) : link;
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

interface TokenFormProps {
  /** The token that the page has is not the runner's. */
  readonly isRefused: boolean;
  readonly onToken: (token: string) => void;
}

/** Asks for the runner's token. */
function TokenForm({ isRefused, onToken }: TokenFormProps) {
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
      {isRefused && (
        <p role="alert" class="wrong">
          This is not the runner's token.
        </p>
      )}
    </form>
  );
}

/** What the user looks at: a call, all calls, or the phone with the calls below it, which is also for what is no identifier. */
function placeIn(hash: string): { callId: string | undefined; isList: boolean } {
  const [, id] = /^#\/calls\/([^/]+)/.exec(hash) ?? [];
  const isList = /^#\/calls\/?$/.test(hash);
  try {
    return { callId: id === undefined ? undefined : decodeURIComponent(id), isList };
  } catch {
    return { callId: undefined, isList };
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
