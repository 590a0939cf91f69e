import { type Deferred, deferred } from '../../base/async/deferred.js';
import { VoicebotError } from '../../base/errors.js';
import { ROOM_DELAY_MS } from '../../bot/transports/room/room-wire.js';
import type { ConsultLeg, ConsultRequest } from '../../call/consult.js';
import { isRoomsDialinRequest, withHiddenKey } from '../../call/rooms-dialin-request.js';
import type { RoomsRunnerArguments } from '../../call/runner-arguments.js';
import { linkRunner, type RoomNews, type RoomRunnerLink } from '../../call/runner-link.js';
import { HostedCall, type Hosting } from './hosted-call.js';
import type { ServeRoomMessage, ToBot } from './messages.js';

/** A bot's call in a media room, which it joins by itself. When its runner is gone, the room's own end holds besides the limits. */
export class HostedRoom extends HostedCall {
  /** Another bot has the call now. */
  #isReplaced = false;
  /** Numbers that the runner has been asked about, by request. */
  readonly #asked = new Map<number, Deferred<string>>();
  #requests = 0;
  readonly #unlink: () => void;
  /** Runs out when the runner has not been heard of for as long as its lease lasts. */
  #lease: NodeJS.Timeout | undefined;

  constructor(
    private readonly message: ServeRoomMessage,
    hosting: Hosting,
  ) {
    super(message, hosting, ROOM_DELAY_MS);
    const { room_url: roomUrl, token, userIds, past, silenceMs, ringMs } = message;
    const link: RoomRunnerLink = {
      ...this.link,
      userIds,
      past,
      silenceMs,
      ringMs,
      isReplaced: () => this.#isReplaced,
      checkTarget: (to) => this.#checkTarget(to),
      tell: (news) => this.#told(news),
      consult: (request) => this.#consult(request, link),
    };
    this.#unlink = linkRunner({ roomUrl, token }, link);
    this.#renewLease();
  }

  /** What it was asked has no answer. In a cluster another runner sends a bot of its own. */
  override runnerGone(): void {
    super.runnerGone();
    for (const asked of this.#asked.values()) asked.reject(deciderIsGone());
    if (this.message.leaseMs !== undefined) this.abandon();
  }

  #renewLease(): void {
    const { leaseMs } = this.message;
    clearTimeout(this.#lease);
    if (leaseMs !== undefined) this.#lease = setTimeout(() => this.abandon(), leaseMs);
  }

  protected get isEndedByBot(): boolean {
    return !this.#isReplaced;
  }

  protected arguments(): RoomsRunnerArguments {
    const { call, room_url, token, body, phone_number } = this.message;
    return {
      transport: 'rooms',
      room_url,
      token,
      body: isRoomsDialinRequest(body) ? withHiddenKey(body) : body,
      ...(phone_number !== undefined && { phone_number }),
      call,
      signal: this.abort.signal,
    };
  }

  protected returned(): void {}

  /** What the bot has left running leaves the caller to the next bot. */
  protected threw(): void {
    this.#isReplaced = true;
    this.end();
  }

  protected abandon(): void {
    clearTimeout(this.#lease);
    this.#isReplaced = true;
    this.callOver();
  }

  protected hear(message: ToBot): void {
    if (message.type === 'runner_there') this.#renewLease();
    if (message.type !== 'target_answer') return;
    const asked = this.#asked.get(message.requestId);
    if (message.problem) asked?.reject(VoicebotError.revive(message.problem));
    else asked?.resolve(message.to ?? '');
  }

  protected async letGo(): Promise<void> {
    clearTimeout(this.#lease);
    this.#unlink();
  }

  #told(news: RoomNews): void {
    if (news.type === 'silent') this.limitReached();
    if (!this.#isReplaced) this.tell({ type: 'room_news', news });
  }

  /** The caller and who is dialled do not hear each other, from before the first ring on. */
  async #consult(request: ConsultRequest, { prepareConsult }: RoomRunnerLink): Promise<ConsultLeg> {
    const release = (await prepareConsult?.()) ?? (() => {});
    try {
      const leg = await this.legs.consult(request);
      void leg.reached.then((outcome) => {
        if ('reason' in outcome) release();
        else outcome.args.signal.addEventListener('abort', release, { once: true });
      });
      return leg;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #checkTarget(to: string): Promise<string> {
    if (this.hosting.isOrphan()) throw deciderIsGone();
    this.#requests += 1;
    const requestId = this.#requests;
    const answer = deferred<string>();
    this.#asked.set(requestId, answer);
    this.tell({ type: 'check_target', requestId, to });
    return answer.promise.finally(() => this.#asked.delete(requestId));
  }
}

const deciderIsGone = () =>
  new VoicebotError('VB_TARGET_REFUSED', 'the runner that decides where calls may go is gone');
