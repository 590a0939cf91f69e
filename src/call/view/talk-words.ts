import { inSeconds } from './events.js';
import type { TalkFigures, TalkMoment } from './talk-figures.js';

/** The figures, with their names for people. */
export const talkRows = ({ cutOffs, talkOver, falseStops, resumes, hole }: TalkFigures): Array<[string, string]> => [
  ['cut off', timesOf(cutOffs)],
  ['talked over', talkOver.times === 0 ? 'never' : `${timesOf(talkOver.times)} (${inSeconds(talkOver.ms)})`],
  ['false stops', timesOf(falseStops)],
  ['resumes', timesOf(resumes)],
  ['longest hole', hole ? inSeconds(hole.ms) : 'none'],
];

/** `never`, `once`, `3 times` */
export const timesOf = (count: number): string => (count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`);

/** What the figures were taken from. */
export const SOURCE_WORDS: Readonly<Record<TalkFigures['by'], string>> = {
  sound: 'by the sound of the recording',
  events: "by the bot's events",
};

/** Each time once: that an answer cut the caller off says as well that it talked over them. */
export const momentsToTell = ({ moments }: TalkFigures): TalkMoment[] =>
  moments.filter(
    ({ figure, at }) =>
      figure !== 'talkOver' || !moments.some((other) => other.figure === 'cutOffs' && other.at === at),
  );

/** What happened, with the words of both sides: a sentence without a capital and its full stop. */
export function momentWords({ figure, ms, bot, caller }: TalkMoment): string {
  const saying = bot === undefined ? '' : ` "${bot}"`;
  const said = caller === undefined ? '' : ` with "${caller}"`;
  const lasted = inSeconds(ms ?? 0);
  switch (figure) {
    case 'cutOffs':
      return `the bot answered${saying} for ${lasted} before the caller had finished, and the caller went on${said}`;
    case 'talkOver':
      return `the bot began${saying} for ${lasted} before the caller had finished, and the caller went on${said}`;
    case 'falseStops': {
      const sound = caller === undefined ? 'a sound of which nothing was understood' : `"${caller}"`;
      const again = ms === undefined ? 'was not heard again' : `was heard again after ${lasted}`;
      return `the bot was stopped in${saying || ' what it said'} by ${sound}, and ${again}`;
    }
    case 'resumes':
      return `the bot held${saying || ' its speech'} for ${lasted}, and went on`;
    case 'hole':
      return `neither side was heard for ${lasted}`;
  }
}
