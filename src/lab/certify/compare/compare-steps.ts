import type { WireChannel, WireItem } from '../wire/wire-item.js';
import { AccountAnswers, isSetOtherwise } from './account-answers.js';
import { confirms, isAsAsked, isConfirmationMissing } from './confirmations.js';
import { FRAME_TOLERANCE_MS, FRAMES, TOLERANCE_MS } from './delays.js';
import type { Difference, DifferenceKind } from './difference.js';
import { fits, isWord } from './forms.js';
import { isByPeople, isOrderOfPeople, isUntoldEnd, OPENED } from './of-people.js';
import type { FieldProfile, ItemProfile, StepProfile } from './profile.js';

/** Where the code of voicebot reads a name of a field, or a word, of this provider: on each channel, since a name is there on several. */
export type Uses = Readonly<Partial<Record<WireChannel, Readonly<Record<string, readonly string[]>>>>>;

export interface ComparedStep {
  readonly step: string;
  /** By the sandbox, in several tours. */
  readonly expected: StepProfile;
  /** In one tour. */
  readonly seen: StepProfile;
  /** All that went over the wire in that, what we sent included. Default: nothing is known of it. */
  readonly items?: readonly WireItem[];
  /**
   * By the sandbox, all steps. Of what we ask, and of a stream, it depends on the moment in which step it comes; and of calls it depends
   * on the person who hangs up how they end. Default: this step alone.
   */
  readonly steps?: Readonly<Record<string, StepProfile>>;
  readonly uses: Uses;
  /** The step was played to its end: what did not come then, or late, is different. Default true. */
  readonly isWhole?: boolean;
}

/** @returns what is different, in the order of the wire's parts */
export const compareSteps = (compared: ComparedStep): Difference[] => new StepComparison(compared).differences();

class StepComparison {
  readonly #found: Difference[] = [];
  readonly #step: string;
  readonly #expected: StepProfile;
  readonly #seen: StepProfile;
  readonly #items: readonly WireItem[];
  readonly #steps: Readonly<Record<string, StepProfile>>;
  readonly #anywhere: StepProfile['items'];
  readonly #account: AccountAnswers;
  readonly #uses: Uses;
  readonly #isWhole: boolean;

  constructor({ step, expected, seen, items = [], steps = { [step]: expected }, uses, isWhole = true }: ComparedStep) {
    this.#step = step;
    this.#expected = expected;
    this.#seen = seen;
    this.#items = items;
    this.#steps = steps;
    this.#anywhere = Object.assign({}, ...Object.values(steps).map((one) => one.items));
    this.#account = new AccountAnswers(step, steps, items);
    this.#uses = uses;
    this.#isWhole = isWhole;
  }

  differences(): Difference[] {
    this.#messages();
    for (const [key, seen] of Object.entries(this.#seen.items)) {
      const known = this.#known(key);
      if (known) this.#fields(key, known, seen);
    }
    this.#order();
    this.#delays();
    const ofEnd: readonly DifferenceKind[] = ['message missing', 'other count', 'late'];
    return this.#isWhole ? this.#found : this.#found.filter(({ kind }) => !ofEnd.includes(kind));
  }

  /** What the sandbox says there; a request of ours, and a message of a stream, may belong to another step too. */
  #known(key: string): ItemProfile | undefined {
    const known = this.#expected.items[key];
    return known ?? (/^(rest|stream) /.test(key) ? this.#anywhere[key] : undefined);
  }

  /** What has come and what has not. */
  #messages(): void {
    const { items } = this.#expected;
    const isAdded = (key: string) => this.#seen.items[key] !== undefined && !this.#known(key);
    // A document answers a webhook: where that did not come, or is new, it is told once.
    const isToldOnce = (is: (key: string) => boolean) => (key: string) =>
      is(key) && !(key.startsWith('document') && is(webhookOf(key)));
    const ofStreams = Object.keys(this.#anywhere).filter((key) => key.startsWith('stream in ') && !items[key]);
    const missing = [...Object.keys(items), ...ofStreams].filter(isToldOnce((key) => this.#isMissing(key)));
    const added = Object.keys(this.#seen.items).filter(isToldOnce(isAdded));
    for (const key of missing) {
      const expected = (items[key] ?? this.#anywhere[key]) as ItemProfile;
      const other = added.find((one) => withoutStatus(one) === withoutStatus(key) && one !== key);
      // What is asked of the REST API we name ourselves.
      const isRenamed = (one: string) => channelOf(one) === channelOf(key) && isAlike(expected, this.#seen.items[one]);
      const renamed = other ?? (key.startsWith('rest') ? undefined : added.find(isRenamed));
      if (renamed) {
        added.splice(added.indexOf(renamed), 1);
        if (isSameClass(key, renamed)) this.#fields(key, expected, this.#seen.items[renamed] as ItemProfile);
      }
      // Which of the two closes a stream first, and whether we ask for something in this step, is no matter of the provider's.
      if (!renamed && /^rest |^stream in close$/.test(key)) continue;
      const kind = other ? 'other status' : renamed ? 'message renamed' : 'message missing';
      const isIn = this.#seen.items[key] !== undefined;
      const seen = renamed ? nameOf(renamed) : isIn ? 'it did not come each time' : 'it did not come';
      const places = isPassedOver(key) ? [] : this.#places(key, ...wordsOf(key));
      const matters = places.length > 0 || (key.startsWith('webhook') && !isPassedOver(key));
      const why = matters ? 'voicebot waits for it' : 'voicebot does not need it';
      this.#add(kind, key, undefined, nameOf(key), seen, { matters, why, restsOn: places });
    }
    for (const key of added) {
      if (this.#account.isOf(key) && statusOf(key) === '2') {
        this.#asked(key);
        continue;
      }
      const why = 'voicebot passes over what it does not know';
      this.#add('message new', key, undefined, 'nothing', `it came ${timesOf(this.#seen.items[key])}`, {
        matters: false,
        why,
        restsOn: [],
      });
    }
    for (const [key, { ofOneCall }] of Object.entries(items)) {
      const count = this.#seen.items[key]?.ofOneCall;
      if (!key.startsWith('webhook') || count === undefined || count <= ofOneCall) continue;
      const why = 'voicebot answers a webhook that comes again as it did before';
      this.#add('other count', key, undefined, `at most ${ofOneCall}`, `${count} of them`, {
        matters: false,
        why,
        restsOn: [],
      });
    }
  }

  /** What we ask of a number follows from what it had; another status than in any tour of the sandbox does not. */
  #asked(key: string): void {
    const usual = Object.keys(this.#anywhere).find(
      (one) => isSameClass(one, key) && withoutStatus(one) === withoutStatus(key),
    );
    const seen = this.#seen.items[key];
    if (usual === undefined || usual === key || !seen) return;
    this.#fields(key, this.#anywhere[usual] as ItemProfile, seen);
    const places = this.#places(usual, ...wordsOf(usual));
    const why = 'voicebot takes every answer of this kind for the same';
    this.#add('other status', key, undefined, nameOf(usual), nameOf(key), { matters: false, why, restsOn: places });
  }

  /** Whether a message has not come, or not each time, that comes in every tour of this step, of any person. */
  #isMissing(key: string): boolean {
    const name = key.startsWith('stream in ') ? nameOf(key) : undefined;
    if (name !== undefined && this.#items.length > 0 && confirms(name)) {
      return this.#anywhere[key] !== undefined && isConfirmationMissing(name, this.#items);
    }
    if (this.#seen.items[key] || this.#expected.items[key]?.tours !== this.#expected.tours) return false;
    if (isUntoldEnd(this.#step, key)) return false;
    // The sandbox says it in some calls and not in others, as providers do, and nothing of voicebot reads it.
    const isInEveryCall = Object.values(this.#steps).every(({ items }) => !items[OPENED] || items[key]);
    return name === undefined || isInEveryCall || this.#places(key, name).length > 0;
  }

  #fields(key: string, expected: ItemProfile, seen: ItemProfile): void {
    const isOfAccount = this.#account.isOf(key);
    const missing = Object.keys(expected.fields).filter(
      (path) =>
        expected.fields[path]?.always && !seen.fields[path] && !(isOfAccount && isSetOtherwise(path, seen.fields)),
    );
    const added = Object.keys(seen.fields).filter(
      (path) => !expected.fields[path] && !(isOfAccount && isSetOtherwise(path, expected.fields)),
    );
    for (const path of missing) {
      const values = expected.fields[path]?.values ?? [];
      const renamed = saysNothing(values)
        ? undefined
        : added.find((one) => seen.fields[one]?.values.join() === values.join() && parentOf(one) === parentOf(path));
      if (renamed) added.splice(added.indexOf(renamed), 1);
      const found = renamed ?? 'not there';
      this.#add(renamed ? 'field renamed' : 'field missing', key, path, path, found, this.#reading(key, path));
    }
    for (const path of added) {
      const why = 'voicebot does not read it';
      this.#add('field new', key, path, 'not there', seen.fields[path]?.values.join(', ') ?? '', {
        matters: false,
        why,
        restsOn: [],
      });
    }
    for (const [path, field] of Object.entries(expected.fields)) {
      const others = seen.fields[path]?.values.filter((value) => !this.#isExpected(key, path, value, field)) ?? [];
      if (others.length === 0) continue;
      const areWords = others.every(isWord) && field.values.every(isWord);
      const reading = this.#reading(key, path);
      this.#add(areWords ? 'other word' : 'other form', key, path, field.values.join(', '), others.join(', '), reading);
    }
  }

  #isExpected(key: string, path: string, value: string, { values }: FieldProfile): boolean {
    const isKnown = this.#account.isOf(key) ? this.#account.fits(key, path, value) : fits(value, values);
    if (isKnown || (key.startsWith('stream in ') && isAsAsked(nameOf(key), path, value, this.#items))) return true;
    return isByPeople({ step: this.#step, key, path, seen: this.#seen, steps: this.#steps }, value);
  }

  #order(): void {
    const now = new Map(this.#seen.order.map(([a, b]) => [`${a}\n${b}`, true]));
    for (const [first, then] of this.#expected.order) {
      if (!now.has(`${then}\n${first}`) || isOrderOfPeople(this.#step, first, then)) continue;
      const why = 'voicebot has been tried with the other order only';
      const restsOn = this.#places(then, ...wordsOf(first), ...wordsOf(then));
      this.#add(
        'other order',
        then,
        undefined,
        `${nameOf(first)} comes before it`,
        `it comes before ${nameOf(first)}`,
        { matters: true, why, restsOn },
      );
    }
  }

  #delays(): void {
    for (const [name, expected] of Object.entries(this.#expected.delays)) {
      const seen = this.#seen.delays[name];
      if (seen === undefined) continue;
      const told = { matters: true, why: 'voicebot waits for it', restsOn: [] };
      if (name === FRAMES) {
        if (Math.abs(seen - expected) <= FRAME_TOLERANCE_MS) continue;
        this.#add('other pace', name, undefined, `${expected} ms`, `${seen} ms`, {
          ...told,
          why: 'turns of the caller are heard later',
        });
      } else if (seen > expected + TOLERANCE_MS) {
        this.#add('late', name, undefined, `within ${seconds(expected)}`, `after ${seconds(seen)}`, told);
      }
    }
  }

  #reading(key: string, path: string): Pick<Difference, 'matters' | 'why' | 'restsOn'> {
    const restsOn = this.#places(key, path.split('.').at(-1) ?? '');
    return restsOn.length > 0
      ? { matters: true, why: 'voicebot reads it', restsOn }
      : { matters: false, why: 'voicebot does not read it', restsOn };
  }

  #places(key: string, ...words: readonly string[]): readonly string[] {
    const uses = this.#uses[key.split(' ', 1)[0] as WireChannel] ?? {};
    const places = words.flatMap((word) => uses[word.replace('[]', '')] ?? []);
    const isRefusal = /^[45]/.test(statusOf(key) ?? '4');
    return [...new Set(places)].filter((place) => isRefusal || !READS_REFUSALS.test(place));
  }

  #add(
    kind: DifferenceKind,
    key: string,
    field: string | undefined,
    expected: string,
    seen: string,
    reading: Pick<Difference, 'matters' | 'why' | 'restsOn'>,
  ): void {
    const where = key.replace(/^(\w+) (in|out) /, '$1 ');
    this.#found.push({
      step: this.#step,
      kind,
      where,
      ...(field !== undefined && { field }),
      expected,
      seen,
      ...reading,
    });
  }
}

const channelOf = (key: string) => key.split(' ', 2).join(' ');
const nameOf = (key: string) => key.split(' ').slice(2).join(' ');
const withoutStatus = (key: string) => (/^(rest|document|stream in open)/.test(key) ? key.replace(/ \d{3}$/, '') : key);
/** What reads refusals only, and says with a `status` or a `code` another thing than an answer does. */
const READS_REFUSALS = /\/refusal\.ts:/;
const webhookOf = (key: string) => key.replace(/^document out (.*) \d{3}$/, 'webhook in $1');
/** A webhook whose news is none that voicebot acts on, and its answer. */
const isPassedOver = (key: string) => / other( \d{3})?$/.test(key) && /^(webhook|document)/.test(key);
/** Whether two statuses are of the same class: a refusal has other fields than what was asked for. */
const isSameClass = (key: string, other: string) => statusOf(key) === statusOf(other);
const statusOf = (key: string) => / (\d)\d\d$/.exec(key)?.[1];
/** Values that many fields have, so that a field is not known by them. */
const saysNothing = (values: readonly string[]) =>
  values.every((value) => /^(nothing|(empty )?text|"GET"|"POST"|true|false)$/.test(value));
const parentOf = (path: string) => path.split('.').slice(0, -1).join('.');
const wordsOf = (key: string) => nameOf(key).split(/[ /]+/).filter(Boolean);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const timesOf = (item: ItemProfile | undefined) => (item?.most === 1 ? 'once' : `${item?.most ?? 0} times`);

/** A message with the fields of another: all that it always has, and no others. */
function isAlike({ fields }: ItemProfile, other: ItemProfile | undefined): boolean {
  if (!other) return false;
  const always = Object.keys(fields).filter((path) => fields[path]?.always);
  return (
    always.length > 1 &&
    always.every((path) => other.fields[path]) &&
    Object.keys(other.fields).every((path) => fields[path])
  );
}
