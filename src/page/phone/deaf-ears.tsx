import type { TimelineEvent } from '../../call/timeline.js';
import { isUnheard } from '../../call/view/unheard-speech.js';
import { useNow } from '../parts/parts.js';

/** Stand-ins for ears cannot hear a microphone: said before the caller waits for an answer, and louder when they do. */
export function DeafEars({ events }: { events: readonly TimelineEvent[] }) {
  const now = useNow(true);
  const waits = isUnheard(events, now);
  return (
    <p class={`deaf ${waits ? 'waits' : ''}`} role="status">
      {waits
        ? 'Your voice arrives, but stand-ins understand typed sentences only: type one here.'
        : 'Stand-ins do not understand speech: type a sentence, and the bot hears it.'}
    </p>
  );
}
