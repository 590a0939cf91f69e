import { useEffect, useRef, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { callerSaidOf } from '../../call/view/typed-lines.js';
import { isUnheard } from '../../call/view/unheard-speech.js';
import { useNow } from '../parts/parts.js';
import type { Handset } from './handset.js';

const EVERY_MS = 60;
/** Louder than this is a voice, in dBFS. */
const VOICE_DB = -45;
/** So many loud moments within so many are a voice: words have pauses between them, and a knock is short. */
const LOUD = 6;
const WITHIN = 25;
/** Ears that listen may take so long after the last of it, in milliseconds. */
const PATIENCE_MS = 2_500;

/**
 * Whether the caller's voice arrives and nothing understands it.
 * @param heardAt when anything has last understood them, in monotonic milliseconds
 * @param isHearing something listens: it is waited for
 */
export function useUnheardVoice(
  phone: Handset,
  events: readonly TimelineEvent[],
  { heardAt, isHearing }: { readonly heardAt: number; readonly isHearing: boolean },
): boolean {
  const now = useNow(true);
  const voice = useRef<{ recent: boolean[]; lastAt: number }>({ recent: [], lastAt: -Infinity });
  const understood = useRef({ count: 0, at: -Infinity });
  const [isUnmet, setUnmet] = useState(false);
  const count = callerSaidOf(events).length;
  if (count !== understood.current.count) understood.current = { count, at: performance.now() };
  const latest = useRef({ heardAt, isHearing });
  latest.current = { heardAt, isHearing };
  useEffect(() => {
    const timer = setInterval(() => {
      const at = performance.now();
      const heard = voice.current;
      const isLoud = phone.voiceDb > VOICE_DB;
      heard.recent = [...heard.recent.slice(1 - WITHIN), isLoud];
      if (isLoud && heard.recent.filter(Boolean).length >= LOUD) heard.lastAt = at;
      const { heardAt, isHearing } = latest.current;
      const isNew = heard.lastAt > Math.max(heardAt, understood.current.at);
      setUnmet(isNew && (!isHearing || at - heard.lastAt > PATIENCE_MS));
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [phone]);
  return isUnmet || (isUnheard(events, now) && heardAt + PATIENCE_MS < performance.now());
}
