import { atMost, type Figure } from '../figure.js';
import { type Failure, failingCall } from './failing-call.js';
import type { Heard } from './heard.js';

const HOWS: readonly Failure['how'][] = ['killed', 'hung', '429', '503'];
const WHENS: Readonly<Record<Failure['what'], readonly Failure['when'][]>> = {
  model: ['first word', 'mid-word', 'function'],
  voice: ['greeting', 'first word', 'mid-word', 'function', 'transfer'],
};
/** Failures at once. */
const AT_ONCE = 2;

/** Every failure of a model and of a voice that is played. */
export const FAILURES: readonly WithoutSecond[] = (['model', 'voice'] as const).flatMap((what) =>
  WHENS[what].flatMap((when) => HOWS.map((how) => ({ what, how, when }))),
);
const BROKEN = { what: 'voice', how: 'broken', when: 'mid-word' } as const;
/** Longest silence that a failure may cause where there is a second, beyond what that takes by itself, in milliseconds. */
const MOST_CAUSED_MS = 700;

type WithoutSecond = Omit<Failure, 'hasSecond'>;

/**
 * What a caller hears of services that fail, without a second of the kind and with one. What is caused by a failure is what the caller
 * hears beyond the same call without it: both of a kind take equally long.
 */
export async function* failingServices(): AsyncGenerator<Figure> {
  const unharmed = WHENS.voice.map((when) => ({ what: 'voice', how: undefined, when }) as const);
  await failingCall({ what: 'voice', how: undefined, when: 'greeting', hasSecond: true }); // the first call loads what all need
  const own = new Map<Failure['when'], readonly Heard[]>();
  for await (const [{ when }, heard] of heardOf(unharmed)) {
    own.set(when, heard);
    yield figureOf(`no failure, ${when}: longest silence | words lost | twice`, heard.map(told));
  }
  for await (const [{ what, how, when }, heard] of heardOf([...FAILURES, BROKEN])) {
    const caused = heard.map(({ silenceMs }, at) => silenceMs - (own.get(when)?.[at]?.silenceMs ?? 0));
    const cells = heard.map((one, at) => `${told(one)} | caused ${caused[at]}`);
    yield { ...figureOf(`${what} ${how}, ${when}`, cells), ...atMost(MOST_CAUSED_MS, caused[1] ?? Number.NaN, ' ms') };
  }
}

/** Without a second and with one, a few failures at a time. */
async function* heardOf(
  failures: readonly WithoutSecond[],
): AsyncGenerator<readonly [WithoutSecond, readonly Heard[]]> {
  for (let at = 0; at < failures.length; at += AT_ONCE) {
    yield* await Promise.all(
      failures.slice(at, at + AT_ONCE).map(async (failure) => {
        const both = [false, true].map((hasSecond) => failingCall({ ...failure, hasSecond }));
        return [failure, await Promise.all(both)] as const;
      }),
    );
  }
}

const figureOf = (name: string, [one, two]: readonly string[]): Figure => ({
  name,
  bare: `one: ${one}`,
  ours: `two: ${two}`,
});

const told = ({ silenceMs, lost, twice, isSorry, reason }: Heard): string =>
  `${silenceMs} ms | ${lost} | ${twice}${isSorry ? ' | apology' : ''}${reason === 'goes on' ? '' : ` | ${reason}`}`;
