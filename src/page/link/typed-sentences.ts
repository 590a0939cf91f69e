import { useEffect, useState } from 'preact/hooks';
import type { TypedSentence } from '../../call/view/typed-lines.js';

/** What was typed on this page, by call: whatever shows the call shows it at once, wherever it was typed. */
const typed = new Map<string, readonly TypedSentence[]>();
const changes = new EventTarget();
const NONE: readonly TypedSentence[] = [];

/** What becomes of a typed sentence. */
export interface TypedFate {
  /** It reads otherwise: what is heard may change. */
  changed(text: string): void;
  said(): void;
  /** It will not be said. */
  dropped(): void;
}

/** Shows a sentence that is about to be said in a call. */
export function showTyped(callId: string, sentence: Omit<TypedSentence, 'isSaid'>): TypedFate {
  let shown: TypedSentence = { ...sentence, isSaid: false };
  const others = () => (typed.get(callId) ?? NONE).filter((one) => one !== shown);
  const change = (sentences: readonly TypedSentence[]) => {
    typed.set(callId, sentences);
    changes.dispatchEvent(new Event('change'));
  };
  change([...others(), shown]);
  return {
    changed: (text) => {
      const rest = others();
      shown = { ...shown, text };
      change([...rest, shown]);
    },
    said: () => {
      const rest = others();
      shown = { ...shown, isSaid: true };
      change([...rest, shown]);
    },
    dropped: () => change(others()),
  };
}

/** What was typed in a call on this page. */
export function useTyped(callId: string | undefined): readonly TypedSentence[] {
  const now = () => (callId === undefined ? NONE : (typed.get(callId) ?? NONE));
  const [sentences, setSentences] = useState(now);
  useEffect(() => {
    const show = () => setSentences(now());
    show();
    changes.addEventListener('change', show);
    return () => changes.removeEventListener('change', show);
  }, [callId]);
  return sentences;
}
