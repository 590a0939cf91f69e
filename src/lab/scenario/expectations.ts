import { allOf, inOrder, inSeconds, transferOutcomeOf } from '../../call/view/events.js';
import { withLostSpeech } from '../../call/view/lost-speech.js';
import { firstMissing, linesOf, recordedLinesOf, type SpokenLine, sentencesOf } from './bot-transcript.js';
import { brokenBots, brokenCode } from './broken-bots.js';
import type { CallStory, Failure, Measures } from './call-story.js';
import { functionFailures } from './called-functions.js';
import { disclosureFailures } from './disclosed.js';
import { findSound } from './find-sound.js';
import { secretsFound } from './nowhere.js';
import { keysOf } from './received-keys.js';
import type { Expectation } from './scenario-schema.js';
import { talkFailures } from './talk-expectations.js';
import { timeFailures } from './time-expectations.js';
import { WordPattern } from './words.js';

/** Ends that no scenario wants unless it says so: without `end` none of them may come. */
const BAD_ENDS: readonly string[] = [
  'bot_crashed',
  'bot_timeout',
  'no_bot',
  'not_connected',
  'telephony_error',
  'room_closed',
  'audio_unreadable',
  'provider_error',
  'tunnel_lost',
  'turned_away',
];
/** Of these, where no bot has had the call. */
const NEVER_STARTED: readonly string[] = ['no_bot', 'turned_away'];
/** A sentence of fewer words may be said twice: "Yes." */
const SHORT_WORDS = 3;

/** What is looked at of a call. */
export interface Judged {
  readonly story: CallStory;
  readonly measures: Measures;
  /** 8000 Hz. */
  readonly soundOf: (file: string) => Int16Array;
  /** What functions fail with because the scenario says so, by their names. Default: none. */
  readonly arranged?: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

type Check = (expected: Expectation, judged: Judged) => ReadonlyArray<Failure | false | undefined>;

/**
 * Compares what has happened with what must hold; every expectation that does not is told. What may be the cause of the others comes first: a bot that
 * broke, then what its functions and transfers did, then what the caller could not do. A function that was not called is an effect of that,
 * more often than its cause.
 */
export function failuresOf(expected: Expectation, judged: Judged): Failure[] {
  const failures = CHECKS.flatMap((check) => check(expected, judged)).filter(
    (one) => one !== undefined && one !== false,
  );
  const broken = failures.filter(({ kind }) => kind === 'broke');
  const acts = failures.filter(({ field, atMs }) => /^(tools|transfer)$/.test(field) && atMs !== undefined);
  const others = failures.filter((one) => !broken.includes(one) && !acts.includes(one));
  return [...broken, ...acts, ...judged.story.faults, ...others];
}

const botLines = ({ story }: Judged): SpokenLine[] => linesOf(story.events, 'bot', story.answeredAt ?? 0);

/** With recorded lines, which the bot may repeat. */
const linesHeard = (judged: Judged): SpokenLine[] =>
  [...botLines(judged), ...recordedLinesOf(judged.story.events, judged.story.answeredAt ?? 0)].toSorted(
    (a, b) => a.atMs - b.atMs,
  );

const quoted = (lines: readonly SpokenLine[]) =>
  lines.length === 0 ? 'nothing' : lines.map(({ text }) => `"${text}"`).join(' ');

const heard: Check = ({ heard }, judged) => {
  const lines = linesHeard(judged);
  const missing = firstMissing(lines, heard);
  return [
    missing && {
      field: 'heard',
      expected: String(missing),
      happened: `the caller heard ${quoted(lines)}${cutOff(judged, missing)}`,
    },
  ];
};

/** Where the words that are missing were cut off. */
function cutOff({ story }: Judged, missing: WordPattern): string {
  const unheard = allOf(withLostSpeech(story.events), 'said').flatMap(({ speaker, text, unheard }) =>
    speaker === 'bot' && unheard && missing.isIn(`${text} ${unheard}`) && !missing.isIn(text) ? [`"${unheard}"`] : [],
  );
  return unheard.length === 0 ? '' : `, and not ${unheard.join(' ')}`;
}

const notHeard: Check = ({ notHeard }, judged) =>
  notHeard.map((pattern) => {
    const line = linesHeard(judged).find(({ text }) => pattern.isIn(text));
    return (
      line && {
        field: 'notHeard',
        expected: `not ${pattern}`,
        happened: `the caller heard "${line.text}"`,
        atMs: line.atMs,
      }
    );
  });

const understood: Check = ({ understood }, { story }) => {
  const lines = linesOf(story.events, 'caller', story.answeredAt ?? 0);
  const missing = firstMissing(lines, understood);
  return [
    missing && { field: 'understood', expected: String(missing), happened: `the bot understood ${quoted(lines)}` },
  ];
};

const sound: Check = ({ sound }, { story, soundOf }) =>
  sound.map((file) => {
    const isHeard = story.audio !== undefined && findSound(story.audio.bot, soundOf(file)) !== undefined;
    return !isHeard && { field: 'sound', expected: file, happened: 'the caller did not hear it' };
  });

const tools: Check = ({ tools }, { story, arranged = NONE }) => functionFailures(tools, story, arranged);

const keys: Check = ({ keys, keysReceived }, { story }) => {
  const differ = (field: string, wanted: string | undefined, direction: 'in' | 'out', who: string) => {
    const got = keysOf(story.events, direction);
    return (
      wanted !== undefined &&
      got !== wanted && { field, expected: wanted, happened: `${who} ${got === '' ? 'none' : got}` }
    );
  };
  return [
    differ('keys', keys, 'out', 'the bot pressed'),
    differ('keysReceived', keysReceived, 'in', 'the bot received'),
  ];
};

const transfer: Check = ({ transfer }, { story }) => {
  if (!transfer) return [];
  const { events, record } = story;
  const [asked] = allOf(events, 'transfer_asked');
  const outcome = transferOutcomeOf(events, record?.endReason);
  const happened = asked
    ? `the caller was transferred to ${asked.to}${outcome ? `: ${outcome}` : ', and the outcome is not known'}`
    : 'there was no transfer';
  const atMs = asked && asked.at - (story.answeredAt ?? 0);
  if (transfer === 'none') return [asked && { field: 'transfer', expected: 'none', happened, atMs }];
  const isSame =
    asked !== undefined &&
    (!transfer.to || transfer.to === asked.to) &&
    (!transfer.outcome || transfer.outcome === outcome);
  const expected = [transfer.to && `to ${transfer.to}`, transfer.outcome].filter(Boolean).join(', ') || 'a transfer';
  return [!isSame && { field: 'transfer', expected, happened, atMs }];
};

const disclosed: Check = ({ disclosed }, { story }) => disclosureFailures(disclosed, story);

const end: Check = ({ end }, { story: { record, lengthMs } }) => {
  const reason = record?.endReason;
  const happened = reason === undefined ? 'the runner has not told how the call ended' : `the call ended: ${reason}`;
  const kind = reason && NEVER_STARTED.includes(reason) ? 'never_started' : undefined;
  if (end)
    return [
      (reason === undefined || !end.includes(reason)) && {
        kind,
        field: 'end',
        expected: end.join(' or '),
        happened,
        atMs: lengthMs,
      },
    ];
  return [
    (reason === undefined || BAD_ENDS.includes(reason)) && {
      kind,
      field: 'end',
      expected: 'an end as calls have it',
      happened,
      atMs: lengthMs,
    },
  ];
};

/** Another bot may have gone on so well that the caller did not notice. */
const bots: Check = ({ end }, { story }) =>
  end?.includes('bot_crashed') ? [] : [...brokenBots(story), ...brokenCode(story)];

/**
 * A call shows something where the bot is heard, or where something is expected that silence does not meet. One that was not answered shows
 * no more than how it ended.
 */
const sign: Check = (expected, { story: { audio, answeredAt }, measures: { firstWordMs } }) => {
  const { notHeard: _, nowhere: __, silentAtMost: ___, endsWithin: ____, end, transfer, ...others } = expected;
  const isEmpty = (value: unknown) =>
    value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  const isMetBySilence =
    Object.values(others).every(isEmpty) &&
    (transfer === undefined || transfer === 'none') &&
    (end ?? []).every((one) => one === 'bot_ended' || one === 'caller_hung_up');
  if (answeredAt === undefined)
    return [
      isMetBySilence &&
        !end && {
          field: 'expect',
          expected: 'something, such as how the call ends',
          happened: 'the call was not answered',
        },
    ];
  if (!audio || firstWordMs !== undefined || !isMetBySilence) return [];
  return [
    { field: 'expect', expected: 'that the bot is heard, where all else is met by silence', happened: 'it was silent' },
  ];
};

const twice: Check = ({ nothingTwice }, judged) => {
  if (!nothingTwice) return [];
  const said = new Map<string, SpokenLine>();
  const sentences = sentencesOf(botLines(judged));
  if (sentences.length === 0)
    return [
      { field: 'nothingTwice', expected: 'no sentence twice', happened: 'nothing was measured: the bot said nothing' },
    ];
  for (const line of sentences) {
    const before = said.get(line.text.toLowerCase());
    if (before && line.text.split(/\s+/).length >= SHORT_WORDS) {
      const happened = `the bot said "${line.text}" after ${inSeconds(before.atMs)} and again`;
      return [{ field: 'nothingTwice', expected: 'no sentence twice', happened, atMs: line.atMs }];
    }
    said.set(line.text.toLowerCase(), line);
  }
  return [];
};

/** What the context has of the bot's words must be among what the caller has heard, whenever the model is asked. */
const context: Check = ({ contextAsHeard }, { story }) => {
  if (!contextAsHeard) return [];
  if (story.questions.length === 0)
    return [
      {
        field: 'contextAsHeard',
        expected: 'only what was heard',
        happened: 'nothing was measured: no model was asked',
      },
    ];
  const said = allOf(inOrder(story.events), 'said').filter(({ speaker }) => speaker === 'bot');
  for (const { messages, at } of story.questions) {
    const heard = said.map(({ text }) => text).join(' ');
    for (const { text } of messages.filter(({ role }) => role === 'assistant')) {
      const unheard = sentencesOf([{ text, atMs: 0 }]).find((one) => !new WordPattern(one.text).isIn(heard));
      if (!unheard) continue;
      const happened = `the model's context says that the bot said "${unheard.text}"; the caller heard ${quoted(said.map((one) => ({ text: one.text, atMs: 0 })))}`;
      return [
        { field: 'contextAsHeard', expected: 'only what was heard', happened, atMs: at - (story.answeredAt ?? 0) },
      ];
    }
  }
  return [];
};

const nowhere: Check = ({ nowhere }, { story }) => secretsFound(nowhere, story);

const CHECKS: readonly Check[] = [
  heard,
  notHeard,
  understood,
  disclosed,
  sound,
  tools,
  keys,
  transfer,
  end,
  bots,
  sign,
  timeFailures,
  (expected, { story }) => talkFailures(expected, story),
  twice,
  context,
  nowhere,
];
