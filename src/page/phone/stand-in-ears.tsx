import type { ComponentChildren, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import type { Handset } from './handset.js';
import type { UsedEars } from './use-browser-ears.js';
import { useUnheardVoice } from './use-unheard-voice.js';

export interface StandInEarsProps {
  readonly phone: Handset;
  readonly events: readonly TimelineEvent[];
  readonly ears: UsedEars;
  /** Where sentences are typed. */
  readonly line: RefObject<HTMLInputElement | null>;
}

/** Says what understands the caller where stand-ins cannot, before they wait for an answer; and louder when they do. */
export function StandInEars({ phone, events, ears, line }: StandInEarsProps) {
  const { view } = ears;
  const isHearing = view.state === 'listening';
  const waits = useUnheardVoice(phone, events, { heardAt: ears.heardAt, isHearing });
  // What to do next is under the hands of who has spoken in vain.
  useEffect(() => {
    if (waits && !document.activeElement?.matches('input')) line.current?.focus();
  }, [waits]);
  const told = (text: ComponentChildren) => (
    <div class={`deaf ${waits ? 'waits' : ''}`}>
      <p role="status">{text}</p>
      {view.state === 'asks' && (
        <button type="button" onClick={() => ears.agree()}>
          Let the browser listen
        </button>
      )}
      {view.state === 'listening' && !view.isLocal && (
        <button type="button" class="quiet" onClick={() => ears.refuse()}>
          Stop listening
        </button>
      )}
    </div>
  );
  if (view.state === 'listening') {
    if (waits)
      return told('Your voice arrives, but your browser has understood nothing. Speak again, or type it here.');
    return told(
      view.isLocal
        ? 'Your browser understands what you say, on this machine.'
        : 'Your browser understands what you say. It may send your voice to its maker.',
    );
  }
  if (view.state === 'asks') {
    const offer = 'Your browser can understand you: it may send your voice to its maker, Chrome to Google.';
    return told(
      waits
        ? `Your voice arrives, but stand-ins understand typed sentences only: type one here. ${offer}`
        : `Stand-ins do not understand speech: type a sentence, and the bot hears it. ${offer}`,
    );
  }
  const why = view.state === 'failed' ? `Your browser's speech recognition does not work: ${view.why}. ` : '';
  if (waits) return told(`${why}Your voice arrives, but stand-ins understand typed sentences only: type one here.`);
  return told(`${why}Stand-ins do not understand speech: type a sentence, and the bot hears it.`);
}
