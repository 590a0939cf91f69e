import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { callerSaidOf } from '../../call/view/typed-lines.js';
import { useSkew } from '../call/live-clock.js';
import { Locked } from '../link/runner-link.js';
import { showTyped } from '../link/typed-sentences.js';
import type { Handset, PhoneView } from './handset.js';
import { postToRunner } from './post-to-runner.js';

const MAX_TEXT = 500;
/** Of a WAV file with nothing but its sound. */
const HEADER_BYTES = 44;

export interface TypedSentenceProps {
  readonly phone: Handset;
  readonly view: PhoneView;
  /** Of its call. */
  readonly events: readonly TimelineEvent[];
  readonly token: string | undefined;
  /** The bot's ears are stand-ins: they read what is typed. */
  readonly standIns: boolean;
  readonly line: RefObject<HTMLInputElement | null>;
}

/** Says what is typed. */
export function TypedSentence({ phone, view: { state, callId }, events, token, standIns, line }: TypedSentenceProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const skewMs = useSkew(events);
  /** The sentences before are with the phone: they are said in the order in which they were typed. */
  const before = useRef<Promise<void>>(Promise.resolve());
  const isTalking = state === 'answered';

  const tell = (error: unknown) =>
    setProblem(error instanceof Locked ? 'the runner wants its token' : (error as Error).message);
  /** A stand-in for speech to text cannot hear: it reads what was said. */
  const type = (typed: string, typedAt: number) => {
    if (!standIns || callId === undefined) return;
    const agoMs = Math.round(performance.now() - typedAt);
    postToRunner(`/calls/${encodeURIComponent(callId)}/typed`, { text: typed, agoMs }, token).catch(tell);
  };

  /** The time of the call's machine, after all that is known of the call. */
  const at = () => Math.max(events.at(-1)?.at ?? 0, Date.now() - skewMs);

  const say = async (earlier: Promise<void>) => {
    const typed = text.trim();
    const typedAt = performance.now();
    setText('');
    setProblem('');
    const shown =
      callId === undefined
        ? undefined
        : showTyped(callId, { text: typed, at: at(), after: callerSaidOf(events).length });
    // Its call may be over, and the phone in another one.
    const isOtherCall = () => phone.view.callId !== callId;
    try {
      const spoken = await postToRunner('/phone/speech', { text: typed }, token);
      const sound = new Int16Array(await spoken.arrayBuffer(), HEADER_BYTES);
      await earlier;
      if (isOtherCall()) return;
      phone.read(sound, () => {
        shown?.said();
        phone.spoke(typed);
        type(typed, typedAt);
      });
    } catch (error) {
      await earlier;
      if (isOtherCall()) return;
      tell(error);
      if (standIns) shown?.said();
      else shown?.dropped();
      type(typed, typedAt);
    }
  };

  return (
    <form
      class="typed"
      onSubmit={(event) => {
        event.preventDefault();
        if (isTalking && text.trim() !== '') before.current = say(before.current);
      }}
    >
      <input
        ref={line}
        type="text"
        aria-label="Sentence to say"
        placeholder="Type a sentence"
        autocomplete="off"
        dir="auto"
        maxLength={MAX_TEXT}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" disabled={!isTalking}>
        Say it
      </button>
      {problem !== '' && (
        <p role="alert" class="wrong">
          {problem}
        </p>
      )}
    </form>
  );
}
