import { TOUR_STEPS } from '../tour/tour-steps.js';
import type { StepProfile } from './profile.js';

/** Keys that are pressed, and what is said when something that is played was heard or interrupted. */
const REACTS = /^(stream in (dtmf|mark|playedStream|clearedAudio)|room in dtmf-event)$/;
/** A call ends, or one of the two that were connected. */
const ENDS = /^(webhook in .* (hangup|dial ended|dial other)|room in ([\w-]+-stopped|participant-left))$/;
const IN_ROOM = /^room in /;
/** What is told of a call when it is changed: of two who talk, that of the one who has not hung up. */
const CHANGED = /^rest in \w+ .*Calls?\/<id>/;
/** Which call that is: its numbers, and its direction. */
const OF_ONE_CALL = [/^<.* number>$/, /^"(inbound|outbound(-api)?)"$/];
/** A call has ended. */
const HANGUP = /^webhook in .* hangup$/;
/** Who has ended it, in which words: of a call, and of one that was dialled beside it. How far the call came people do not decide. */
const WHO = /^(Dial(BLeg)?)?Hangup(Source|Cause\w*)$/;
/** Whether the call that is left of two goes on, which is told when the other one ends. */
const GOES_ON = ['"in-progress"', '"completed"'];
/** What our request to end a call is answered with. */
const ENDED = /^rest in (DELETE|POST) .*Calls?\/<id>.* 20\d$/;
/** Of a step in which a call was answered. */
export const OPENED = 'stream in open 101';

/** A step in which two people talk: either of them may hang up. */
const hasTwoPeople = (step: string): boolean =>
  TOUR_STEPS.some(({ name, needs }) => name === step && needs.includes('colleague'));

/** Whether people decide which of two messages comes first, and not the provider. */
export const isOrderOfPeople = (step: string, first: string, then: string): boolean =>
  (REACTS.test(first) && REACTS.test(then)) || (hasTwoPeople(step) && ENDS.test(first) && ENDS.test(then));

/** Whether it may be missing: when one of two has hung up, the bot leaves the room, and is not told there of the other one any more. */
export const isUntoldEnd = (step: string, key: string): boolean =>
  hasTwoPeople(step) && IN_ROOM.test(key) && ENDS.test(key);

interface FieldOfPeople {
  readonly step: string;
  readonly key: string;
  readonly path: string;
  readonly seen: StepProfile;
  /** By the sandbox, all. */
  readonly steps: Readonly<Record<string, StepProfile>>;
}

/**
 * Whether a field may have a value because of who has hung up: the sandbox says it, in whichever step, of a call that was answered and has
 * ended, or of the call that is left of two. It is right where it was not the sandbox's person who hung up, and where a person was faster
 * than we were.
 */
export function isByPeople({ step, key, path, seen, steps }: FieldOfPeople, value: string): boolean {
  const hasTwo = hasTwoPeople(step);
  const all = Object.values(steps);
  if (hasTwo && CHANGED.test(key))
    return OF_ONE_CALL.some((kind) => kind.test(value) && isIn(steps[step], key, path, kind));
  if (hasTwo && IN_ROOM.test(key)) return valuesIn(all, IN_ROOM, (other) => other === path).includes(value);
  const wereFaster = () => endedByUs(seen, 'most') < endedByUs(steps[step], 'least');
  if (!ENDS.test(key) || !(hasTwo || wereFaster())) return false;
  if (path === 'CallStatus' && !HANGUP.test(key))
    return GOES_ON.includes(value) && GOES_ON.some((one) => isIn(steps[step], key, path, one));
  if (!WHO.test(path)) return false;
  const answered = all.filter(({ items }) => items[OPENED]);
  return valuesIn(answered, HANGUP, (other) => other === whole(path)).includes(value);
}

const isIn = (profile: StepProfile | undefined, key: string, path: string, kind: RegExp | string): boolean =>
  profile?.items[key]?.fields[path]?.values.some((value) =>
    typeof kind === 'string' ? value === kind : kind.test(value),
  ) === true;

function valuesIn(steps: readonly StepProfile[], keys: RegExp, isField: (path: string) => boolean): readonly string[] {
  const items = steps.flatMap((step) => Object.entries(step.items).filter(([key]) => keys.test(key)));
  return items.flatMap(([, { fields }]) =>
    Object.entries(fields).flatMap(([path, { values }]) => (isField(path) ? values : [])),
  );
}

/** The end of a leg is told in the words for the end of a call: `DialBLegHangupSource`. */
const whole = (path: string) => path.replace(/^Dial(BLeg)?/, '');

const endedByUs = (profile: StepProfile | undefined, many: 'least' | 'most'): number =>
  Object.entries(profile?.items ?? {}).reduce((sum, [key, item]) => sum + (ENDED.test(key) ? item[many] : 0), 0);
