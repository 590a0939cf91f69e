import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { timeLimit } from '../../base/async/time-limit.js';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { CallId } from '../../call/call-id.js';
import type { CallRegistry } from '../../runner/calls/life/call-registry.js';
import type {
  AskedCall,
  CallsElsewhere,
  PassedRequest,
  PeerAnswer,
  PortableCall,
  SharedCalls,
} from '../../runner/http/elsewhere.js';
import type { Member } from '../members/cluster-members.js';
import type { JoinedCluster } from '../members/joined-cluster.js';
import { CallDirectory } from './call-directory.js';
import { DeadRunners } from './dead-runners.js';
import { goesToOther } from './linked-call-taking.js';
import { givenCall, PeerClient } from './peer-client.js';
import { peerOf } from './peer-signature.js';
import { Placement } from './placement.js';

/** How often a call may turn out to be another runner's while its runner is looked for. */
const MAX_HOPS = 4;
/** A runner that has stood still waits for Redis so long before it takes its calls for its own, in milliseconds. */
const DOUBT_LIMIT_MS = 5_000;

export interface CallSharingOptions {
  readonly cluster: JoinedCluster;
  readonly registry: CallRegistry;
  /** Longest that any call may last, in milliseconds. */
  readonly maxCallMs: number;
  readonly logger: Logger;
  /** Told of what calls of a cluster bring with them. Default: not told. */
  readonly counted?: ((event: SharingEvent) => void) | undefined;
}

/**
 * `taken_over`: a call of a runner that is gone, or that leaves, is this one's; `handed_over`: this one leaves, and another has taken
 * its call; `brought`: a call came here with its media stream; `passed_on`: another runner has answered a request for this one.
 */
export type SharingEvent = 'taken_over' | 'handed_over' | 'brought' | 'passed_on';

/**
 * The calls of a cluster: whichever runner the provider asks, the one that has the call answers. Each call is in the directory with all
 * that another runner needs to go on with it; a runner that is asked for a call whose runner is gone takes it over.
 */
export class CallSharing implements CallsElsewhere {
  readonly directory: CallDirectory;
  readonly peers: PeerClient;
  readonly #placement = new Placement();
  readonly #dead: DeadRunners;
  #calls: SharedCalls | undefined;
  /** While it is asked which calls are still this runner's. */
  #checking: Promise<void> | undefined;
  #isClosed = false;
  /** That Redis refuses to say whose a call is. */
  #hasWarned = false;

  constructor(private readonly options: CallSharingOptions) {
    const { cluster, registry, maxCallMs, logger } = options;
    const { redis, members, secrets } = cluster;
    this.directory = new CallDirectory({ redis, ownId: members.ownId, machine: members.machine, maxCallMs });
    this.peers = new PeerClient(secrets, members.ownId);
    this.#dead = new DeadRunners({ members, peers: this.peers, isClosed: () => this.#isClosed });
    this.directory.on('lost', (id) => {
      logger.warn('another runner has taken a call over', { callId: id });
      this.#calls?.moves.letGo(id);
    });
    registry.on('change', (record) => {
      if (record.state === 'ended') this.directory.finished(record);
      else this.changed(record.id);
    });
    registry.on('amended', (record) => this.directory.amended(record));
    registry.on('settled', (record) => this.directory.amended(record, true));
    members.on('lapsed', () => {
      const checked = this.directory.check().catch(() => {});
      this.#checking = checked;
      void checked.then(() => {
        if (this.#checking === checked) this.#checking = undefined;
      });
    });
    members.on('left', (runnerId) => void this.#takeFrom(runnerId));
  }

  /** The calls of this runner, once they can come. */
  serve(calls: SharedCalls): void {
    this.#calls = calls;
  }

  /** Whether a request comes from another runner of the cluster. */
  isFromPeer(request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): boolean {
    return peerOf(this.options.cluster.secrets, request) !== undefined;
  }

  /** Whether a request of another runner is for the one that was at this address before. */
  isForAnother(request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): boolean {
    const { secrets, members } = this.options.cluster;
    const peers = peerOf(secrets, request);
    return peers !== undefined && peers.to !== members.ownId;
  }

  /** Whether this runner has the call. */
  isLive(id: CallId): boolean {
    return this.#calls?.isLive(id) === true;
  }

  /** A live call of this runner has changed. */
  changed(id: CallId): void {
    if (this.#calls?.isLive(id)) this.directory.changed(id, () => this.#calls?.moves.pack(id));
  }

  /** Writes down a call that is about to be dialled: its webhooks may come to any runner. */
  async begun(id: CallId): Promise<void> {
    await this.directory.flush(id);
  }

  /** When this process has stood still for long: whether a call is still its own. */
  inDoubt(id: CallId): Promise<boolean> | undefined {
    const asked = this.#checking ?? (this.options.cluster.members.mayHaveLapsed ? this.#askFor(id) : undefined);
    return asked?.then(() => this.isLive(id));
  }

  /** A runner that cannot ask Redis for so long has not been replaced: the others, it is assumed, cannot ask it either. */
  async #askFor(id: CallId): Promise<void> {
    const { redis } = this.options.cluster;
    // What was asked before the standstill may have timed out when it was over.
    if (!redis.isUp) await once(redis, 'up', { signal: timeLimit(DOUBT_LIMIT_MS) }).catch(() => {});
    await this.directory.flush(id).catch(() => {});
  }

  /**
   * Finds the runner that has a call, and has it answer.
   * @returns its answer; undefined when this runner is to answer, which has the call then or may begin it
   */
  async route(asked: AskedCall): Promise<PeerAnswer | undefined> {
    const { id } = asked;
    if (this.#isHere(id)) return undefined;
    try {
      return await this.#find(asked);
    } catch (error) {
      // That Redis is away the link has said. Anything else is a fault, and the same for every call.
      const isAway = error instanceof VoicebotError && error.code === 'VB_CLUSTER_UNREACHABLE';
      const level = isAway || this.#hasWarned ? 'debug' : 'warn';
      this.#hasWarned ||= !isAway;
      this.options.logger[level]('the cluster could not be asked for a call', { callId: id, error });
      return asked.isFromPeer ? undefined : await this.#findWithoutRedis(asked);
    }
  }

  /** The webhook is answered: what was claimed for it and has not become a call belongs to no runner again. */
  async settle(id: CallId): Promise<void> {
    if (this.#isHere(id)) return;
    await this.directory.drop(id).catch(() => {});
  }

  /**
   * A media stream has come whose call another runner has: its call moves here, if no bot waits for it there.
   * @returns passes the stream on to where one does; undefined when it can be served here, or by no runner
   */
  async bringForStream(id: CallId, token: string): ReturnType<CallsElsewhere['bringForStream']> {
    const { members } = this.options.cluster;
    const owner = await this.directory.ownerOf(id).catch(() => undefined);
    const candidates = owner ? [await members.find(owner)] : members.others;
    for (const peer of candidates) {
      if (!peer || peer.id === members.ownId) continue;
      const answer = await this.#askToGive(peer, id, token, owner !== undefined);
      if (answer?.status === 409) return (...stream) => this.peers.passStream(peer, ...stream); // a bot of the call waits there
      if (answer && answer.status !== 200 && owner) return undefined; // it has the call, and this is no stream of it
      if (answer?.status !== 200) continue;
      const { kept, epoch } = givenCall(answer);
      this.directory.own(id, epoch);
      if (await this.#unpack(id, kept, false)) this.options.counted?.('brought');
      await this.directory.flush(id).catch(() => {});
      return undefined;
    }
    if (owner && owner !== members.ownId) await this.#take(id, owner).catch(() => {});
    return undefined;
  }

  /** Gives a call to the runner that asks for it: with it goes all that is needed to go on. */
  give(id: CallId, token: string): { kept: unknown; epoch: number } | 'waits_here' | undefined {
    const calls = this.#calls;
    if (!calls?.admits?.(id, token)) return undefined;
    if (!calls.isMovable?.(id)) return 'waits_here';
    const kept = calls.moves.pack(id);
    const epoch = this.directory.epochOf(id) + 1;
    void this.directory.disown(id);
    calls.moves.letGo(id);
    return { kept, epoch };
  }

  /** Takes a call that another runner hands over, with its bots lost; not when this one leaves as well. */
  async receive(id: CallId, from: string): Promise<boolean> {
    const { own } = this.options.cluster.members;
    return own?.isDraining === false && (await this.#take(id, from));
  }

  /**
   * Hands the calls that go on to the others, each with another bot: this runner leaves.
   * @returns how many
   */
  async handOver(): Promise<number> {
    const { members, redis } = this.options.cluster;
    const handed = new Map<CallId, Member>();
    for (const id of this.#calls?.ids() ?? []) {
      const { linkedTo } = this.options.registry.get(id) ?? {};
      const own = { ...(members.own as Member), isDraining: true };
      const peer = redis.isUp
        ? ((linkedTo && handed.get(linkedTo)) ?? this.#placement.choose(own, members.others))
        : undefined;
      if (!peer) break;
      await this.directory.flush(id).catch(() => {});
      const answer = await this.peers.ask(peer, `/cluster/calls/${encodeURIComponent(id)}/take`, {
        from: members.ownId,
      });
      if (answer?.status !== 200) continue;
      this.directory.forget(id);
      this.#calls?.moves.letGo(id);
      this.options.counted?.('handed_over');
      handed.set(id, peer);
    }
    return handed.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.directory.close();
    await this.peers.close();
  }

  /** Whether this runner has the call, or had it and knows how it ended. */
  #isHere(id: CallId): boolean {
    return this.isLive(id) || this.options.registry.get(id)?.state === 'ended';
  }

  async #find(asked: AskedCall): Promise<PeerAnswer | undefined> {
    const { id, providerCallId: providerName, isFromPeer, isNew } = asked;
    const { members } = this.options.cluster;
    const own = members.own;
    if (members.isComingBack && !isFromPeer) {
      const answer = await this.#findWithoutRedis(asked);
      if (answer) return answer;
    }
    const chosen = isNew && !isFromPeer && own ? this.#placement.choose(own, members.others) : undefined;
    let claim = await this.directory.claim(id, providerName, chosen?.id);
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      if (claim.is === 'over') this.#calls?.noteOver(claim.id);
      if (claim.is === 'ours' && claim.kept) await this.#unpack(id, claim.kept, true);
      if (claim.is !== 'theirs') return undefined;
      const member = await members.find(claim.runnerId);
      const answer = member && (await this.#pass(member, asked.request));
      if (answer) return answer;
      const isDead = !member || (await this.#dead.isDead(member));
      if (isDead && (await this.#take(claim.id, claim.runnerId))) return undefined;
      claim = await this.directory.claim(id, providerName);
    }
    if (claim.is === 'theirs') await this.#take(claim.id, claim.runnerId);
    return undefined;
  }

  /** Redis does not know: another runner may have the call; if none has, it is served here as one of a runner that is gone. */
  async #findWithoutRedis({ id, request }: AskedCall): Promise<PeerAnswer | undefined> {
    const { members } = this.options.cluster;
    const asked = members.others.map(async (peer) => {
      const answer = await this.peers.ask(peer, `/cluster/calls/${encodeURIComponent(id)}/has`);
      if (answer?.status !== 200) throw new Error('not there');
      return peer;
    });
    const peer = await Promise.any(asked).catch(() => undefined);
    return peer && (await this.#pass(peer, request));
  }

  async #pass(peer: Member, request: PassedRequest): Promise<PeerAnswer | undefined> {
    const answer = await this.peers.pass(peer, request);
    if (answer) this.options.counted?.('passed_on');
    return answer;
  }

  /** @returns whether the call is ours now */
  async #take(id: CallId, from: string): Promise<boolean> {
    const { directory, peers } = this;
    const { members } = this.options.cluster;
    if (await goesToOther({ directory, peers, members, isLive: (other) => this.isLive(other) }, id, from)) return false;
    const taken = await this.directory.take(id, from);
    if (taken.is === 'theirs') return false;
    this.options.logger.warn('taking a call over from a runner that is gone', { callId: id, runner: from });
    if (taken.kept) await this.#unpack(id, taken.kept, true);
    this.options.counted?.('taken_over');
    return true;
  }

  /** One that cannot be read begins anew when the provider asks for it. @returns whether it goes on */
  async #unpack(id: CallId, kept: PortableCall, isLost: boolean): Promise<boolean> {
    try {
      await this.#calls?.moves.unpack(kept, isLost);
      return true;
    } catch (error) {
      this.options.logger.error('a call of another runner cannot go on here', { callId: id, error });
      return false;
    }
  }

  /** Asks a runner for a call; the one that has it is asked again for as long as it is there. */
  async #askToGive(peer: Member, id: CallId, token: string, isOwner: boolean): Promise<PeerAnswer | undefined> {
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const answer = await this.peers.ask(peer, `/cluster/calls/${encodeURIComponent(id)}/give`, { token });
      if (answer || !isOwner || (await this.#dead.isDead(peer))) return answer;
    }
    return undefined;
  }

  /**
   * In a room, or before a transfer is over, the provider asks for no document: a runner that is alive goes on with such calls once
   * that runner has surely died.
   */
  async #takeFrom(runnerId: string): Promise<void> {
    const { members } = this.options.cluster;
    const member = members.get(runnerId);
    if (member) await this.#dead.surelyDead(member);
    if (members.isAlive(runnerId) || this.#isClosed) return;
    try {
      const beside: CallId[] = [];
      for (const id of await this.directory.callsOf(runnerId)) {
        const kept = await this.directory.kept(id);
        if (!kept || !this.#calls?.moves.isForTaking(kept)) continue;
        if (kept.record.linkedTo === undefined) await this.#take(id, runnerId);
        else beside.push(id); // it needs the bot of the other call
      }
      for (const id of beside) await this.#take(id, runnerId);
    } catch (error) {
      this.options.logger.warn('calls of a runner that is gone could not be looked at', { runner: runnerId, error });
    }
  }
}
