import { SpeakableText } from '../tts/speakable-text.js';
import type { ModelPart } from './model-request.js';
import type { ThinkTags } from './think-tags.js';

/**
 * The parts of one answer without what a caller cannot hear: without the model's thoughts, and without text until there is something
 * in it that can be spoken. An answer of nothing but "…" or an emoji has no text, as if the model had written none.
 */
export async function* spokenParts(
  parts: AsyncGenerator<ModelPart, void>,
  tags: ThinkTags,
): AsyncGenerator<ModelPart, void> {
  /** Text in which nothing can be spoken so far; undefined when something could. */
  let silent: string | undefined = '';
  const spoken = (text: string): ModelPart[] => {
    if (silent !== undefined) {
      silent += text;
      if (new SpeakableText().of(silent) === '') return [];
    }
    const whole = silent ?? text;
    silent = undefined;
    return whole === '' ? [] : [{ type: 'text', text: whole }];
  };
  for await (const part of parts) {
    if (part.type === 'text') yield* spoken(tags.push(part.text));
    else {
      if (part.type !== 'failed') yield* spoken(tags.end());
      yield part;
      if (part.type === 'failed') return; // what is held back may be thoughts
    }
  }
  yield* spoken(tags.end());
}
