import './phone.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PhoneNumbers } from '../../call/phone-messages.js';
import type { CallView } from '../link/use-call.js';
import type { RunnerView } from '../link/use-runner.js';
import { Conversation } from './conversation.js';
import type { Handset, PhoneView } from './handset.js';
import { LiveCall } from './live-call.js';
import { OverCall } from './over-call.js';
import { ReadyPhone } from './ready-phone.js';
import type { DialOrder } from './use-dial-order.js';

/** Where the phone is on the page: by itself, at the page of its own call, or beside something else. */
export type PhonePlace = 'first' | 'own_call' | 'aside';

export interface PhoneProps {
  readonly runner: RunnerView;
  readonly token: string | undefined;
  /** To have the bot call a number. */
  readonly order: DialOrder;
  readonly phone: Handset;
  readonly view: PhoneView;
  /** Null where there is nothing to ring; undefined until it is known. */
  readonly numbers: PhoneNumbers | null | undefined;
  /** What is known of the phone's call. */
  readonly call: CallView;
  readonly place: PhonePlace;
}

/** The phone of the page. It stays where it is in the tree while the user looks around: its call ends with it. */
export function Phone({ runner, token, order, phone, view, numbers, call, place }: PhoneProps) {
  const isTalking = view.state !== 'idle';
  // A call whose runner was lost has no end, and a problem.
  const isOver = view.callId !== undefined && (view.end ?? view.problem) !== undefined;
  const hadCall = useRef(false);
  useEffect(() => {
    hadCall.current = place === 'first' && (isTalking || isOver);
  }, [place, isTalking, isOver]);
  const Title = place === 'first' ? 'h1' : 'h2';
  if (numbers === undefined) return place === 'first' ? <h1 class="unseen">voicebot</h1> : null;
  if (!isTalking && place !== 'first') return null;
  const frame = (kind: string, title: ComponentChildren, content: ComponentChildren) => (
    <section class={`panel phone ${kind}`} aria-labelledby="phone-title" data-state={view.state}>
      <Title id="phone-title">{title}</Title>
      {content}
    </section>
  );
  const botFile = runner.status?.botFile;
  if (isTalking) {
    const isHere = place !== 'aside';
    return frame(
      isHere ? 'stage' : 'aside',
      <>Call to {call.record?.botFile ?? botFile}</>,
      <LiveCall
        phone={phone}
        view={view}
        call={call}
        token={token}
        status={runner.status}
        hasLink={place !== 'own_call'}
      >
        {isHere && <Conversation view={view} call={call} />}
      </LiveCall>,
    );
  }
  // The runner may have another bot since.
  const tookIt = call.record?.botFile;
  if (isOver)
    return frame(
      'stage',
      tookIt ? <>Call to {tookIt}</> : 'The call',
      <OverCall {...{ runner, phone, view, call, token }} />,
    );
  return frame(
    'ready',
    numbers === null ? 'Have it call me' : <>Talk to {botFile}</>,
    <ReadyPhone {...{ runner, order, phone, view, numbers }} isAfterCall={hadCall.current} />,
  );
}
