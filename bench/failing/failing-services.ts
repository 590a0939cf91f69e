import type { Figure } from '../figure.js';
import { type Failure, failingCall, OWN } from './failing-call.js';
import type { Heard } from './heard.js';

const HOWS: readonly Failure['how'][] = ['killed', 'hung', '429', '503'];
const WHENS: Readonly<Record<Failure['what'], readonly Failure['when'][]>> = {
  model: ['first word', 'mid-word', 'function'],
  voice: ['greeting', 'first word', 'mid-word', 'function', 'transfer'],
};
/** Failures at once. */
const AT_ONCE = 2;

/** Every failure of a model and of a voice that is played. */
export const FAILURES: readonly Omit<Failure, 'hasSecond'>[] = (['model', 'voice'] as const).flatMap((what) =>
  WHENS[what].flatMap((when) => HOWS.map((how) => ({ what, how, when }))),
);
const BROKEN = { what: 'voice', how: 'broken', when: 'mid-word' } as const;

/** What a caller hears of services that fail, without a second of the kind and with one. */
export async function* failingServices(): AsyncGenerator<Figure> {
  const own = await failingCall(undefined);
  const { firstAudioMs, firstWordMs } = OWN;
  yield {
    name: `no failure; a voice takes ${firstAudioMs} ms to its first sound, a model ${firstWordMs} ms to its first word`,
    ours: told(own),
  };
  for (let at = 0; at <= FAILURES.length; at += AT_ONCE) {
    const some = [...FAILURES, BROKEN].slice(at, at + AT_ONCE);
    const rows = await Promise.all(
      some.map(async (failure) => {
        const [without, with_] = [false, true].map((hasSecond) => failingCall({ ...failure, hasSecond }));
        return { failure, without: await without, with: await with_ };
      }),
    );
    for (const { failure, without, with: second } of rows) {
      if (!without || !second) continue;
      yield {
        name: `${failure.what} ${failure.how} at the ${failure.when}: silence | lost | twice`,
        bare: `one: ${told(without)}`,
        ours: `two: ${told(second)}`,
      };
    }
  }
}

const told = ({ silenceMs, lost, twice, isSorry, reason }: Heard): string =>
  `${silenceMs} ms | ${lost} | ${twice}${isSorry ? ' | apology' : ''}${reason === 'goes on' ? '' : ` | ${reason}`}`;
