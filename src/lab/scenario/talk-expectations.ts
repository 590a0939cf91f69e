import { talkByEvents, talkBySound } from '../../call/view/call-talk.js';
import { inOrder, inSeconds } from '../../call/view/events.js';
import { soundsOverBot } from '../../call/view/false-stops.js';
import { levelsOf } from '../../call/view/heard-sounds.js';
import { figuresOf, TALK_FIGURES, type TalkFigureName, type TalkFigures } from '../../call/view/talk-figures.js';
import { momentWords, timesOf } from '../../call/view/talk-words.js';
import type { CallStory, Failure } from './call-story.js';
import type { Expectation } from './scenario-schema.js';

const SAMPLE_RATE = 8_000;
/** So many times are told. */
const MOST_TOLD = 3;

/** What of the talk does not hold; what could not happen in this call does not hold either. */
export function talkFailures(expected: Expectation, story: CallStory): Failure[] {
  const wanted = TALK_FIGURES.filter((field) => expected[field] !== undefined);
  if (wanted.length === 0) return [];
  const { audio, answeredAt = 0, events } = story;
  const talk = audio
    ? talkBySound({
        startedAt: answeredAt,
        caller: levelsOf(audio.caller, SAMPLE_RATE),
        bot: levelsOf(audio.bot, SAMPLE_RATE),
      })
    : talkByEvents(events);
  const figures = figuresOf(talk, inOrder(events));
  const unmeasured = {
    side: !figures.callerSpoke ? 'the caller has not spoken' : !figures.botSpoke && 'the bot was not heard',
    over: soundsOverBot(talk) === 0 && figures.resumes === 0 && 'the caller has made no sound while the bot spoke',
  };
  return wanted.flatMap((field): Failure[] => {
    const { isMet, wants, got } = COMPARE[field](expected, figures);
    const isAboutStops = field === 'falseStops' || field === 'resumes';
    const why = isAboutStops ? unmeasured.over : field === 'hole' && figures.callerSpoke ? false : unmeasured.side;
    if (why) return [{ field, expected: wants, happened: `nothing was measured: ${why}` }];
    if (isMet) return [];
    const moments = figures.moments.filter(({ figure }) => figure === field);
    const [first, ...others] = moments;
    const told = others
      .slice(0, MOST_TOLD - 1)
      .map((moment) => `at ${inSeconds(moment.at - answeredAt)} ${momentWords(moment)}`);
    return [
      first
        ? {
            field,
            expected: wants,
            happened: [...(others.length > 0 ? [got] : []), momentWords(first), ...told].join('; '),
            atMs: Math.round(first.at - answeredAt),
          }
        : { field, expected: wants, happened: got },
    ];
  });
}

interface Compared {
  readonly isMet: boolean;
  readonly wants: string;
  readonly got: string;
}

/** `never`, `at most once` */
const atMost = (count: number) => (count === 0 ? 'never' : `at most ${timesOf(count)}`);

const COMPARE: Readonly<Record<TalkFigureName, (expected: Expectation, figures: TalkFigures) => Compared>> = {
  cutOffs: ({ cutOffs: most = 0 }, { cutOffs: count }) => ({
    isMet: count <= most,
    wants: `${atMost(most)} an answer before the caller has finished`,
    got: timesOf(count),
  }),
  talkOver: ({ talkOver: most = { times: 0 } }, { talkOver: { times: count, ms } }) =>
    'ms' in most
      ? {
          isMet: ms <= most.ms,
          wants: `the bot over the caller for at most ${inSeconds(most.ms)}`,
          got: `for ${inSeconds(ms)}`,
        }
      : { isMet: count <= most.times, wants: `${atMost(most.times)} the bot over the caller`, got: timesOf(count) },
  falseStops: ({ falseStops: most = 0 }, { falseStops: count }) => ({
    isMet: count <= most,
    wants: `${atMost(most)} a bot that is stopped by a sound that says nothing`,
    got: timesOf(count),
  }),
  resumes: ({ resumes: wanted = 0 }, { resumes: count }) => ({
    isMet: count === wanted,
    wants: `a bot that holds its speech and goes on: ${timesOf(wanted)}`,
    got: timesOf(count),
  }),
  hole: ({ hole: most = 0 }, { hole }) => ({
    isMet: (hole?.ms ?? 0) <= most,
    wants: `at most ${inSeconds(most)} until the bot is heard`,
    got: `neither side was heard for ${inSeconds(hole?.ms ?? 0)}`,
  }),
};
