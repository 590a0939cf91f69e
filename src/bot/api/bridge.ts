import { EventEmitter } from 'node:events';
import { deferred } from '../../base/async/deferred.js';
import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { VoicebotError } from '../../base/errors.js';
import { type EventNames, refuseUnknownEvents } from '../../base/names/event-names.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';
import type { WarmTerms } from '../../call/consult.js';
import { type CallLeg, isWords } from './call-leg.js';
import type { Sound } from './sound.js';

/** Most parties of a bridge, the caller included. */
const MOST_PARTIES = 4;

/** A party of a bridge: the other party of the call that it was made in, or one who was consulted. */
export type BridgeParty = 'caller' | 'colleague';

/** How parties are joined. */
export interface BridgeOptions {
  /** Whether the bot's ears hear what the parties say, all of them, and their keys reach it. Default false. */
  listen?: boolean | undefined;
}

/** How a bot whispers. */
export interface WhisperOptions {
  /** Who hears it; `colleague` is all of them. */
  to: BridgeParty | 'both';
}

/** What happens in a bridge. `callId` is that of the party's call. */
export interface BridgeEvents {
  /** What a party was understood to say. For a bridge with `listen`. */
  transcript: [data: { readonly party: BridgeParty; readonly callId: string; readonly text: string }];
  /** A party has pressed a key. For a bridge with `listen`. */
  dtmf: [data: { readonly party: BridgeParty; readonly callId: string; readonly digit: DtmfDigit }];
  /** A party has hung up. */
  hung_up: [data: { readonly party: BridgeParty; readonly callId: string }];
}

/** Who has ended a bridge: a party that hung up, or the bot. */
export type BridgeEnd = BridgeParty | 'bot';

/** A call that can be joined with others: a `Call`. */
export interface Joinable {
  /** @internal */
  readonly leg: CallLeg;
  /** As that of a `Call`. */
  say(what: string | Sound): Promise<boolean>;
}

const EVENTS: EventNames<BridgeEvents> = { transcript: true, dtmf: true, hung_up: true };
const BRIDGE: OptionNames<BridgeOptions> = { listen: true };
const WHISPER: OptionNames<WhisperOptions> = { to: true };
const ENDS: readonly unknown[] = ['caller', 'colleague', 'both'];

/**
 * Two to four parties who hear each other, by the bot: their sound passes through its process, in a room by what the provider lets each of them
 * hear. What the bot says in one of the calls only that party hears, while the others go on talking. When one hangs up the others are with the bot
 * again as soon as fewer than two are left; after {@link leave} the call ends with them.
 */
export class Bridge extends EventEmitter<BridgeEvents> {
  readonly #listens: boolean;
  readonly #end = deferred<BridgeEnd>();
  readonly #colleagues: Joinable[] = [];
  /** The colleague whom the runner knows. */
  #handedOver: Joinable | undefined;
  #isLeft = false;
  #isOver = false;

  /** For `Call.bridge`. @internal */
  constructor(
    private readonly caller: Joinable,
    options: BridgeOptions,
    private readonly warm?: WarmTerms,
  ) {
    super();
    refuseUnknownEvents(this, EVENTS);
    this.#listens = options.listen ?? false;
  }

  /**
   * @throws VoicebotError VB_REQUEST_INVALID naming every option that is wrong or not known, and every call that cannot be joined;
   *   VB_STREAM_CLOSED where one of them is over; what joining them fails with: each is with the bot alone then
   * @internal
   */
  static async of(
    caller: Joinable,
    colleagues: readonly Joinable[],
    options: BridgeOptions = {},
    warm?: WarmTerms,
  ): Promise<Bridge> {
    const problems = unknownOptions(options, BRIDGE);
    if (options.listen !== undefined && typeof options.listen !== 'boolean')
      problems.push('listen must be true or false');
    if (colleagues.length === 0) problems.push('there is no call to join');
    refuseUnjoinable([caller, ...colleagues], problems);
    const bridge = new Bridge(caller, options, warm);
    try {
      await bridge.#join([caller, ...colleagues]);
    } catch (error) {
      await bridge.#finish('bot');
      throw error;
    }
    return bridge;
  }

  /** Resolves when fewer than two are left, or the bot has ended it, with who has ended it. Never rejects. */
  get ended(): Promise<BridgeEnd> {
    return this.#end.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Joins another call. Where that fails the others go on, and that one is with the bot alone.
   * @throws VoicebotError VB_REQUEST_INVALID for a call that is of another kind, joined already, or the fifth; VB_STREAM_CLOSED where it or
   *   the bridge is over; VB_CARRIER_UNSUPPORTED where their providers cannot be joined; VB_ROOMS_REQUEST_FAILED
   */
  async add(colleague: Joinable): Promise<void> {
    if (this.#isOver || this.#isLeft) throw new VoicebotError('VB_STREAM_CLOSED', 'the bridge is over');
    const problems = this.#parties().includes(colleague) ? ['the call is in this bridge already'] : [];
    if (this.#parties().length >= MOST_PARTIES) problems.push(`a bridge joins ${MOST_PARTIES} at most`);
    refuseUnjoinable([colleague], problems);
    try {
      await this.#join([colleague]);
    } catch (error) {
      this.#colleagues.splice(this.#colleagues.indexOf(colleague), 1);
      await Promise.all([this.#part(colleague), this.#isOver || this.#connect().catch(() => {})]);
      throw error;
    }
  }

  /**
   * Says a text, or plays audio, to some of the parties: the others do not hear it, and what all of them say goes on. To one of several
   * colleagues alone that one's `say` does it.
   * @returns whether all who were meant have heard it to its end
   * @throws VoicebotError VB_REQUEST_INVALID for an option that is wrong or not known; VB_CONFIG_INVALID for a text when the bot has no voice
   */
  async whisper(what: string | Sound, options: WhisperOptions): Promise<boolean> {
    const problems = unknownOptions(options, WHISPER);
    if (!ENDS.includes(options?.to)) problems.push('to must be caller, colleague or both');
    refuseProblems(problems, 'VB_REQUEST_INVALID');
    const heard = await Promise.all(this.#meant(options.to).map((party) => party.say(what)));
    return heard.length > 0 && heard.every(Boolean);
  }

  /**
   * The bot leaves the parties to each other: it hears nothing more, its function may return, and the call ends when one of two hangs up. The
   * record says `transferred`.
   */
  leave(): void {
    if (this.#isOver || this.#isLeft) return;
    this.#isLeft = true;
    for (const { leg } of this.#parties()) leg.leave();
  }

  /**
   * Hangs up, and ends the bridge. To end one of several colleagues alone, hang up that call.
   * @param who whose call is ended, `colleague` being all of them: the caller is with the bot again then. With the caller's call those of the
   *   colleagues end, too
   * @throws VoicebotError VB_REQUEST_INVALID
   */
  async end(who: BridgeParty | 'both'): Promise<void> {
    if (!ENDS.includes(who)) throw new VoicebotError('VB_REQUEST_INVALID', 'end: must be caller, colleague or both');
    const meant = this.#meant(who);
    void this.#finish('bot');
    for (const { leg } of meant) leg.end('bot_ended');
    await Promise.all(meant.map(({ leg }) => leg.ended));
  }

  #parties(): Joinable[] {
    return [this.caller, ...this.#colleagues].filter(({ leg }) => !leg.isOver);
  }

  #meant(who: BridgeParty | 'both'): Joinable[] {
    return this.#parties().filter((party) => who === 'both' || this.#nameOf(party) === who);
  }

  #nameOf(party: Joinable): BridgeParty {
    return party === this.caller ? 'caller' : 'colleague';
  }

  async #join(coming: readonly Joinable[]): Promise<void> {
    this.#colleagues.push(...coming.filter((party) => party !== this.caller));
    for (const party of coming) this.#take(party);
    await this.#connect();
    if (this.#isOver || coming.some(({ leg }) => leg.isOver))
      throw new VoicebotError('VB_STREAM_CLOSED', 'one of those who were to be joined has hung up');
    for (const party of coming) void party.leg.ended.then(() => this.#leaves(party));
    this.#tellRunner();
  }

  /** Of several the runner knows one: whom the next bot joins the caller with, and whose end is that of the call when no other is left. */
  #tellRunner(): void {
    const first = this.#colleagues.find(({ leg }) => !leg.isOver);
    if (!first || first === this.#handedOver || this.caller.leg.isOver) return;
    this.#handedOver = first;
    const { number: to, id: legId } = first.leg;
    this.caller.leg.runner?.tellHandover?.({ to, legId, phase: 'bridged', warm: this.warm });
  }

  /** Each hears all others. */
  async #connect(): Promise<void> {
    const parties = this.#parties().map(({ leg }) => leg.party);
    await Promise.all(parties.map((party) => party.hear(parties.filter((other) => other !== party))));
  }

  #take(party: Joinable): void {
    const { leg } = party;
    const about = { party: this.#nameOf(party), callId: leg.id };
    leg.unhold();
    leg.join(
      this.#listens
        ? {
            heard: (frame) => {
              if (isWords(frame)) this.emit('transcript', { ...about, text: frame.text });
              else this.emit('dtmf', { ...about, digit: frame.digit });
            },
          }
        : undefined,
    );
  }

  async #leaves(party: Joinable): Promise<void> {
    if (this.#isOver) return;
    const about = { party: this.#nameOf(party), callId: party.leg.id };
    this.emit('hung_up', about);
    if (this.#parties().length < 2) {
      void this.#finish(about.party);
      return;
    }
    this.#tellRunner();
    await this.#connect().catch(() => {}); // one of them has hung up meanwhile
  }

  /** Resolves when none of them hears the others. Never rejects. */
  async #finish(by: BridgeEnd): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const parted = this.#parties().map((party) => this.#part(party));
    if (this.#handedOver && !this.#isLeft && !this.caller.leg.isOver) this.caller.leg.runner?.tellHandover?.(undefined);
    this.#end.resolve(by);
    await Promise.all(parted);
  }

  /** They are with the bot alone; where that has left, their call ends. */
  async #part({ leg }: Joinable): Promise<void> {
    const alone = leg.party.hear([]);
    if (this.#isLeft) leg.end('transferred');
    else leg.part();
    await alone.catch(() => {}); // nothing more can be done about it
  }
}

function refuseUnjoinable(calls: readonly Joinable[], problems: string[]): void {
  if (calls.length > MOST_PARTIES) problems.push(`a bridge joins ${MOST_PARTIES} at most`);
  if (new Set(calls).size < calls.length) problems.push('a call cannot be joined with itself');
  const legs = calls.map((call) => call?.leg);
  if (legs.some((leg) => leg === undefined)) problems.push('what is joined must be a Call');
  if (legs.some((leg) => leg?.isJoined && !leg.isOver)) problems.push('a call is joined with others already');
  refuseProblems(problems, 'VB_REQUEST_INVALID');
  if (legs.some((leg) => leg.isOver))
    throw new VoicebotError('VB_STREAM_CLOSED', 'a call that is over cannot be joined');
}
