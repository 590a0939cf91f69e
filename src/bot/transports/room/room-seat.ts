import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import { VoicebotError } from '../../../base/errors.js';
import type { CallTape } from '../../../call/call-tape.js';
import type { RoomPast } from '../../../call/runner-link.js';
import { EVERYBODY, type RoomReception } from '../../../providers/rooms/reception.js';
import type { RoomConnection } from '../../../providers/rooms/room-connection.js';
import { isBeside, type RoomUserIds } from '../../../providers/rooms/user-ids.js';
import { RoomCompany } from './room-company.js';
import { RoomView } from './room-view.js';
import { telephoneArrival } from './telephone-arrival.js';

/** By the address of the room. */
const companies = new Map<string, RoomCompany<RoomSeat>>();

function companyIn(roomUrl: string): RoomCompany<RoomSeat> {
  const company = companies.get(roomUrl) ?? new RoomCompany<RoomSeat>(() => companies.delete(roomUrl));
  companies.set(roomUrl, company);
  return company;
}

export interface RoomSeatOptions {
  /** Undefined where no runner has started the bot: what is dialled beside its call needs one. */
  readonly userIds: RoomUserIds | undefined;
  /** The leg that the bot serves, if it is known. */
  readonly leg: () => string | undefined;
  readonly past: RoomPast | undefined;
  /** An earlier bot has joined its telephone with another one, and this one goes on with that. */
  readonly isBridged: boolean;
  /**
   * Another telephone, which the bot's hears, has said 20 ms.
   * @param from one and the same for each telephone @param rate hertz @param isKept whether the recording may have it: its own one has
   */
  readonly overheard: (from: object, pcm: Int16Array, rate: number, isKept: boolean) => void;
  /** Of its call. */
  readonly tape: Pick<CallTape, 'isRunning'> | undefined;
}

/**
 * A bot's place in a room in which other bots of its process may be, each with a telephone of its own: what of the room is its business, and
 * whom its telephone hears. As long as none is beside it, everybody hears everybody.
 */
export class RoomSeat {
  /** Its call was dialled beside the room's own. */
  readonly isBeside: boolean;
  #company: RoomCompany<RoomSeat> | undefined;
  #connection: RoomConnection | undefined;
  #view: RoomView | undefined;
  #heard: readonly RoomSeat[] = [];
  /** Its telephone has been told whom it hears. */
  #isLimited = false;
  /** Its telephone was in the room, and has left it. */
  #hasLegLeft = false;
  /** Nothing has been said of that by this bot: it is as an earlier one has left it. */
  #isResumed: boolean;
  /** A number is about to be dialled beside its call. */
  #expected = 0;

  constructor(
    private readonly roomUrl: string,
    private readonly options: RoomSeatOptions,
  ) {
    this.isBeside = options.userIds?.leg !== undefined;
    this.#isResumed = options.isBridged;
  }

  /** The telephone that the bot serves. */
  get leg(): string | undefined {
    return this.options.leg();
  }

  /** The bot is in the room. @returns the room as far as it concerns the bot */
  enter(connection: RoomConnection): RoomConnection {
    const { past, userIds } = this.options;
    if (!userIds) return connection;
    this.#connection = connection;
    this.#company = companyIn(this.roomUrl);
    this.#company.add(this);
    const dialled = past?.dialout ? [past.dialout.sessionId] : [];
    const isDialling = past?.isDialling ?? false;
    const viewed = { isBeside: this.isBeside, legUserId: userIds.leg, dialled, isDialling };
    this.#view = new RoomView(connection, viewed, this.#around);
    connection.on('left', () => this.#leave());
    connection.on('rejoined', () => void this.#again());
    connection.on('participant_left', ({ sessionId }) => {
      this.#hasLegLeft ||= sessionId === this.leg;
    });
    if (this.isBeside) {
      connection.hearOnly?.(dialled);
      return this.#view;
    }
    connection.on('participant_joined', (participant) => {
      if (isBeside(participant)) this.#hearOwn();
    });
    connection.on('participant_left', () => this.#freeAlone());
    // An earlier bot of this call has had a number dialled beside it, which is there.
    if ([...connection.participants.values()].some(isBeside)) setImmediate(() => this.#hearOwn());
    return this.#view;
  }

  /**
   * A number is about to be dialled beside the call: from now on its telephone and its bot hear each other and no one else.
   * @returns call it when the number is there, or will not come
   * @throws VoicebotError as {@link hear}
   */
  async isolate(): Promise<() => void> {
    this.#expected += 1;
    try {
      if (this.#isResumed) this.#goOn();
      else await this.hear(this.#heard);
    } catch (error) {
      this.#expected -= 1;
      throw error;
    }
    return () => {
      this.#expected -= 1;
      this.#freeAlone();
    };
  }

  /**
   * Its telephone hears its bot and the telephones of these others, and no one else. Resolves when the room has told that it is so.
   * @throws VoicebotError VB_STREAM_CLOSED when the bot or a telephone is not in the room, and does not come, VB_CARRIER_UNSUPPORTED where the
   *   connection cannot do it, VB_ROOMS_REQUEST_FAILED
   */
  async hear(others: readonly RoomSeat[]): Promise<void> {
    const { leg } = this;
    if (this.#connection && leg !== undefined && !this.#hasLegLeft) await telephoneArrival(this.#connection, leg);
    if (!this.#company) throw notThere();
    await this.#company.change(async () => {
      await this.#apply(others);
      this.#heard = others;
    });
  }

  /** Whether another seat is in the same room. */
  isBy(other: RoomSeat): boolean {
    return this.#company !== undefined && this.#company === other.#company;
  }

  /** Its telephone has pressed a key: telephones that hear it get it as one. */
  pressed(digit: DtmfDigit): void {
    for (const other of this.#others) if (other.#heard.includes(this)) other.#press(digit);
  }

  /** Its telephone has said 20 ms. @param rate hertz */
  spoke(pcm: Int16Array, rate: number): void {
    const isKept = this.options.tape?.isRunning === true;
    for (const other of this.#others) if (other.#heard.includes(this)) other.options.overheard(this, pcm, rate, isKept);
  }

  /** Another bot of this process has left the room. */
  lost(other: RoomSeat): void {
    this.#heard = this.#heard.filter((seat) => seat !== other);
    this.#freeAlone();
  }

  readonly #around = {
    /** Whether a participant or a telephone belongs to another bot of this process. */
    isOfOther: (sessionId: string): boolean => this.#others.some((seat) => seat.#owns(sessionId)),
    isOtherDialling: (): boolean => this.#others.some((seat) => seat.#view?.isDialling ?? false),
    /** How the number that it dials begins. */
    reception: (): RoomReception => this.#receptionWith([]),
  };

  get #others(): RoomSeat[] {
    return this.#company?.others(this) ?? [];
  }

  #owns(sessionId: string): boolean {
    return (
      sessionId === this.#connection?.sessionId || sessionId === this.leg || (this.#view?.owns(sessionId) ?? false)
    );
  }

  async #apply(others: readonly RoomSeat[]): Promise<void> {
    const connection = this.#connection;
    const { leg } = this;
    if (!connection || leg === undefined || !connection.participants.has(leg)) throw notThere();
    if (!connection.updatePermissions || !this.options.userIds) {
      throw new VoicebotError('VB_CARRIER_UNSUPPORTED', 'this connection to the room cannot say who hears whom');
    }
    this.#hearOwn();
    await connection.updatePermissions({ [leg]: this.#receptionWith(others) });
    this.#isLimited = true;
    this.#isResumed = false;
  }

  /** The telephone hears whom it heard: its bot and those whom an earlier one has joined it with. */
  #goOn(): void {
    this.#isResumed = false;
    this.#isLimited = true;
    this.#hearOwn();
  }

  #receptionWith(others: readonly RoomSeat[]): RoomReception {
    const { userIds } = this.options;
    const legs = others.map(({ leg }) => {
      if (leg === undefined) throw notThere();
      return leg;
    });
    // The user stays the same when the bot's page, or its process, is followed by another one.
    return {
      base: false,
      byUserId: userIds ? { [userIds.bot]: true } : {},
      byParticipantId: Object.fromEntries([this.#connection?.sessionId ?? '', ...legs].map((id) => [id, true])),
    };
  }

  /** The bot hears its own telephone only. */
  #hearOwn(): void {
    const { leg } = this;
    if (leg !== undefined) this.#connection?.hearOnly?.([leg]);
  }

  /** With no one else in the room the telephone needs no limits. */
  #freeAlone(): void {
    if (!this.#isAlone) return;
    this.#company
      ?.change(async () => {
        const { leg } = this;
        const connection = this.#connection;
        if (!this.#isAlone || !connection || leg === undefined || !connection.participants.has(leg)) return;
        await connection.updatePermissions?.({ [leg]: EVERYBODY });
        if (!this.#isAlone) return;
        connection.hearOnly?.(undefined);
        this.#isLimited = false;
      })
      .catch(() => {}); // it hears its bot all the same
  }

  get #isAlone(): boolean {
    const connection = this.#connection;
    if (!connection || this.isBeside || !this.#isLimited || this.#expected > 0) return false;
    return this.#others.length === 0 && ![...connection.participants.values()].some(isBeside);
  }

  /** The connection was lost, and another one made: its session has a new name. */
  async #again(): Promise<void> {
    if (this.#isLimited) await this.hear(this.#heard).catch(() => {}); // the telephone still hears the bot, by its user
  }

  #press(digit: DtmfDigit): void {
    const { leg } = this;
    if (leg !== undefined) this.#connection?.sendDtmf({ sessionId: leg, tones: digit }).catch(() => {}); // it has hung up
  }

  #leave(): void {
    this.#connection = undefined;
    this.#company?.remove(this);
  }
}

const notThere = () => new VoicebotError('VB_STREAM_CLOSED', 'the bot, or one who is to be heard, is not in the room');
