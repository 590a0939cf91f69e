import type { Figure } from '../figure.js';
import { OWN } from './failing-call.js';
import { failingLiveCall, LIVE_OWN, type LiveFailure, type LiveWire } from './failing-live-call.js';
import type { Heard } from './heard.js';

const WHENS = ['greeting', 'first word', 'mid-word', 'function', 'transfer'] as const;
const FOR_GOOD = ['killed', 'hung', '429', '503'] as const;
const ONE_SESSION = ['broken', 'stuck'] as const;
/** Failures at once: GPT-Live has one name, by which its health is known. */
const atOnce = (wire: LiveWire | undefined) => (wire === 'gpt-live' ? 1 : 2);
/** A caller is silent no longer than this beyond the own time of what goes on, in milliseconds. */
const BEYOND_MS = 700;

/** What every wire plays: all moments on OpenAI's, the two that matter on the others. */
const MOMENTS: Readonly<Record<LiveWire, readonly LiveFailure['when'][]>> = {
  openai: WHENS,
  xai: ['first word', 'mid-word'],
  google: ['first word', 'mid-word'],
  'gpt-live': ['first word', 'mid-word'],
};

/** Every failure of a live session that is played. */
export const LIVE_FAILURES: readonly LiveFailure[] = (Object.keys(MOMENTS) as LiveWire[]).flatMap((wire) =>
  MOMENTS[wire].flatMap((when) => [
    ...FOR_GOOD.map((how) => ({ wire, how, when, hasSecond: true })),
    ...[...FOR_GOOD, ...ONE_SESSION].map((how) => ({ wire, how, when, hasSecond: false })),
  ]),
);

/** What a caller hears of a live session that fails, without a cascade beside it and with one: beyond the same moment without a failure. */
export async function* failingLive(): AsyncGenerator<Figure> {
  const { firstAudioMs, firstWordMs } = OWN;
  const ownMs = firstAudioMs + firstWordMs;
  const usual = new Map<string, Heard>();
  const keyOf = ({ wire, when }: LiveFailure) => `${wire} ${when}`;
  for (const [key, baseline] of new Map(LIVE_FAILURES.map((failure) => [keyOf(failure), failure]))) {
    const heard = await failingLiveCall({ ...baseline, how: 'none', hasSecond: true });
    usual.set(key, heard);
    yield {
      name: `${key}, no failure; a session takes ${LIVE_OWN.firstAudioMs} ms, the cascade ${ownMs} ms`,
      ours: told(heard, 0),
    };
  }
  for (let at = 0; at < LIVE_FAILURES.length; ) {
    const some = LIVE_FAILURES.slice(at, at + atOnce(LIVE_FAILURES[at]?.wire));
    at += some.length;
    const all = await Promise.all(some.map((failure) => failingLiveCall(failure)));
    for (const [index, heard] of all.entries()) {
      const failure = some[index] as LiveFailure;
      const { wire, how, when, hasSecond } = failure;
      const usualMs = usual.get(keyOf(failure))?.silenceMs ?? 0;
      const isHeld =
        heard.silenceMs - usualMs <= BEYOND_MS + ownMs && heard.lost === 0 && heard.twice === 0 && !heard.isSorry;
      yield {
        name: `${wire} ${how} at the ${when}, ${hasSecond ? 'with' : 'without'} another: caused | lost | twice`,
        ours: told(heard, usualMs),
        ...(hasSecond && { target: `<= ${BEYOND_MS + ownMs} ms`, isHeld }),
      };
    }
  }
}

const told = ({ silenceMs, lost, twice, isSorry, reason }: Heard, usualMs: number): string =>
  `${silenceMs - usualMs} ms | ${lost} | ${twice}${isSorry ? ' | apology' : ''}${reason === 'goes on' ? '' : ` | ${reason}`}`;
