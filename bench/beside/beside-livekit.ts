import type { Figure } from '../figure.js';
import { besideFigures } from './beside-figures.js';
import type { CallScript } from './call-script.js';
import { humanSounds } from './human-sounds.js';
import { livekitFolder } from './livekit-package.js';
import { measure } from './measure.js';
import { Scripts } from './scripts.js';

/** Calls that are had at once: more, and the machine would be part of the figures. */
const AT_ONCE = 9;
/** Without a bot of its own machine in it, so that the code is compiled to the end before the first figure. */
const WARM_UP_CALLS = 2;

const GROUPS = {
  plain: (scripts: Scripts) => scripts.plain(),
  pauses: (scripts: Scripts) => scripts.pauses(),
  'goes-on': (scripts: Scripts) => scripts.goingOn(),
  finished: (scripts: Scripts) => scripts.finished(),
  long: (scripts: Scripts) => scripts.longPauses(),
  interruptions: (scripts: Scripts) => scripts.interruptions(),
  sounds: (scripts: Scripts) => scripts.sounds(),
  'uh-huh': (scripts: Scripts) => scripts.backchannels(),
  noise: (scripts: Scripts) => scripts.noise(),
} satisfies Record<string, (scripts: Scripts) => CallScript[]>;

/**
 * `ours`: without LiveKit; `theirs`: only that; `silero`: ours with that detector; `detail`: what happened in each turn, on standard error.
 * The others name groups of calls; without any of them all are had.
 */
export const BESIDE_WORDS: readonly string[] = ['ours', 'theirs', 'silero', 'detail', ...Object.keys(GROUPS)];

/**
 * Our conversations beside those of LiveKit Agents: the same calls with human speech, the same fake services, the same scorer.
 * @param turns of the larger rows @param words of {@link BESIDE_WORDS}
 */
export async function* besideLivekit(turns = 40, words: readonly string[] = []): AsyncGenerator<Figure> {
  const scripts = new Scripts(humanSounds(), turns);
  const named = Object.entries(GROUPS).filter(([name]) => words.includes(name));
  const chosen = (named.length > 0 ? named : Object.entries(GROUPS)).map(([name, make]) => ({
    name,
    calls: make(scripts),
  }));
  const livekit = words.includes('ours') ? undefined : livekitFolder();
  const plain = chosen.filter(({ name }) => name === 'plain').flatMap(({ calls }) => calls);
  const others = chosen.filter(({ name }) => name !== 'plain').flatMap(({ calls }) => calls);
  const warmUp = new Scripts(humanSounds(), 2 * WARM_UP_CALLS)
    .plain()
    .slice(0, WARM_UP_CALLS)
    .map((call) => ({ ...call, turns: call.turns.map(({ row: _, ...turn }) => turn) }));
  const groups = { warmUp, plain, others };
  const isDetailed = words.includes('detail');
  const ours = words.includes('theirs')
    ? undefined
    : await measure({
        bots: 'beside/our-bots',
        args: [words.includes('silero') ? 'silero' : 'energy'],
        groups,
        atOnce: AT_ONCE,
        isDetailed,
      });
  const theirs =
    livekit === undefined
      ? undefined
      : await measure({ bots: 'beside/livekit-bots', args: [livekit], groups, atOnce: AT_ONCE, isDetailed });
  yield* besideFigures(ours, theirs);
}
