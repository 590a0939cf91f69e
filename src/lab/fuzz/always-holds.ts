import { allOf, inSeconds } from '../../call/view/events.js';
import type { CallStory, Failure, ScenarioRun } from '../scenario/call-story.js';
import { calledFunctions, functionWords } from '../scenario/called-functions.js';
import type { ExpectOptions } from '../scenario/scenario-options.js';
import { bareWords } from '../scenario/words.js';

/** What must hold of every call, whatever its caller does. */
export interface AlwaysHolds {
  /** The longest that neither side is heard, in milliseconds; 0: any. */
  readonly silenceMs: number;
  /** Texts that stand nowhere. */
  readonly secrets: readonly string[];
  /** Functions that fail because the scenario says so. */
  readonly arranged: ReadonlySet<string>;
  /** The bot's own model serves, of which it is not known what it is asked. */
  readonly isReal: boolean;
}

/** The same sentence again is no mistake where the caller did something in between, or nothing for so long, in milliseconds. */
const AGAIN_MS = 4_000;
/** A random caller presses a secret where no bot asks for one. */
const ONLY_IN_KEYS = /^it stands in the keys of the caller(?!.*; also in )/;
/** A sentence of fewer words may be said twice. */
const SHORT_WORDS = 3;

/** The expectations of a random call, as its scenario has them. @param shows the field of the mistake that it is to show; undefined: every one */
export const expectationsOf = ({ silenceMs, secrets, isReal }: AlwaysHolds, shows?: string): ExpectOptions => ({
  ...(silenceMs > 0 && { silentAtMost: `${silenceMs}ms` }),
  ...(secrets.length > 0 && { nowhere: secrets }),
  // In a call that has nothing of the kind, nothing would be measured.
  ...(!isReal && (shows === undefined || shows === 'contextAsHeard') && { contextAsHeard: true }),
  ...(shows === 'nothingTwice' && { nothingTwice: true }),
});

/**
 * What of a random call is the bot's mistake: it broke, never had the call, or did not end it; a function threw; the context of the model has what
 * the caller did not hear; it was silent for too long; a secret was written down; it said the same again at once. That something was not measured, a
 * step not done, or an input that the stand-in has made up refused, is none.
 */
export function mistakesIn(
  { failures }: Pick<ScenarioRun, 'failures'>,
  story: CallStory,
  { arranged }: Pick<AlwaysHolds, 'arranged'>,
): Failure[] {
  const mistakes = failures.filter(
    ({ field, happened }) =>
      !['expect', 'model'].includes(field) &&
      !/^tools(\.|$)/.test(field) &&
      !/^(then\[\d+\]\.)?caller\[/.test(field) &&
      !(field === 'nowhere' && ONLY_IN_KEYS.test(happened)) &&
      !happened.startsWith('nothing was measured'),
  );
  return [...mistakes, ...failedFunctions(story, arranged), ...saidAgain(story)];
}

function failedFunctions({ events, answeredAt }: CallStory, arranged: ReadonlySet<string>): Failure[] {
  const isThrown = (type: string | undefined) =>
    !['cancelled', 'invalid_input', 'unknown_function'].includes(type ?? '');
  return calledFunctions(events)
    .filter(({ name, returned }) => returned?.isError && isThrown(returned.errorType) && !arranged.has(name))
    .map((one) => ({
      field: 'tools',
      expected: 'that no function throws',
      happened: functionWords(one),
      atMs: one.at - (answeredAt ?? 0),
    }));
}

function saidAgain({ events, answeredAt }: CallStory): Failure[] {
  const said = allOf(events, 'said');
  for (const [at, { speaker, text, startedAt }] of said.entries()) {
    const before = said[at - 1];
    if (speaker !== 'bot' || before?.speaker !== 'bot' || startedAt === undefined) continue;
    const isSame = bareWords(text) === bareWords(before.text) && text.trim().split(/\s+/).length >= SHORT_WORDS;
    const hasActed = events.some(
      (one) =>
        one.at >= (before.startedAt ?? before.at) &&
        one.at <= startedAt &&
        (one.type === 'keys' ||
          one.type === 'caller_joined' ||
          (one.type === 'speech_started' && one.speaker === 'caller')),
    );
    if (!isSame || hasActed || startedAt - before.at > AGAIN_MS) continue;
    const atMs = startedAt - (answeredAt ?? 0);
    const happened = `the bot said "${text}" again, ${inSeconds(startedAt - before.at)} after it had ended`;
    return [{ field: 'nothingTwice', expected: 'that nothing is said again at once', happened, atMs }];
  }
  return [];
}

/** What tells one mistake from another: those of the same kind and words are one. */
export const signatureOf = ({ kind = 'answered_wrongly', field, happened }: Failure): string =>
  kind === 'broke' ? `${kind} ${happened.split(': its ')[0]}` : `${kind} ${field}`;
