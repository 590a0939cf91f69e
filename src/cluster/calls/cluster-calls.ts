import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { PlacedCall } from '../../call/placed-call.js';
import type { ClusterRunner, ClusterStatus } from '../../call/runner-status.js';
import type { CallRegistry } from '../../runner/calls/life/call-registry.js';
import type { CallList, PassedRequest, PeerAnswer, ShownElsewhere } from '../../runner/http/elsewhere.js';
import type { Member } from '../members/cluster-members.js';
import type { JoinedCluster } from '../members/joined-cluster.js';
import type { CallSharing } from './call-sharing.js';

export interface ClusterCallsOptions {
  readonly cluster: JoinedCluster;
  readonly registry: CallRegistry;
  readonly sharing: CallSharing;
  /** Longest that any call may last, in milliseconds. */
  readonly maxCallMs: number;
}

/** The calls of all runners of a cluster, as operators see them at any one. */
export class ClusterCalls implements ShownElsewhere {
  constructor(private readonly options: ClusterCallsOptions) {}

  get status(): ClusterStatus {
    const { redis, members } = this.options.cluster;
    const { own, others } = members;
    const told = others.map((member) => runnerOf(member, false)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return { isRedisUp: redis.isUp, runners: own ? [runnerOf(own, true), ...told] : told };
  }

  /** A call of this runner. */
  place(record: CallRecord): PlacedCall {
    const { machine, ownId } = this.options.cluster.members;
    return { ...record, machine, pid: process.pid, runner: ownId };
  }

  async list(): Promise<CallList> {
    const own = this.options.registry.list().map((record) => this.place(record));
    const others = await this.others();
    const calls = [...own, ...(others ?? [])].sort((a, b) => b.startedAt - a.startedAt);
    return { calls, isWhole: others !== undefined };
  }

  /**
   * Those that this runner does not have; undefined while Redis is away. The bots of a runner that was killed go on with their calls, which no
   * runner has until the provider asks for them.
   */
  async others(): Promise<PlacedCall[] | undefined> {
    const { cluster, registry, sharing } = this.options;
    const { others, former } = cluster.members;
    const all = [...former, ...others];
    const known = await sharing.directory.records(all.map(({ id }) => id)).catch(() => undefined);
    if (!known) return undefined;
    const live = all.flatMap(({ id, machine, pid }) =>
      (known.live.get(id) ?? [])
        .filter(({ startedAt }) => Date.now() - startedAt < this.options.maxCallMs)
        .map((record): PlacedCall => ({ ...record, machine, pid, runner: id })),
    );
    // A call that is over is still among the live ones for a moment, and one that moves may be with two.
    const byId = new Map([...live, ...known.over].map((call) => [call.id, call]));
    return [...byId.values()].filter(({ id }) => !registry.get(id));
  }

  /** A call that this runner does not have; undefined when no runner has it, or Redis is away. */
  async find(id: CallId): Promise<PlacedCall | undefined> {
    const { cluster, sharing } = this.options;
    const found = await sharing.directory.record(id).catch(() => undefined);
    const member = found?.runner === undefined ? undefined : cluster.members.get(found.runner);
    return found && { ...(member && { machine: member.machine, pid: member.pid }), ...found };
  }

  /** The runner that has a call, or has what is left of it; undefined when that is this one, or is not there. */
  #runnerOf({ runner }: PlacedCall): Member | undefined {
    const { members } = this.options.cluster;
    const isOther = runner !== undefined && runner !== members.ownId && members.isAlive(runner);
    return isOther ? members.get(runner) : undefined;
  }

  isFromPeer(request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): boolean {
    return this.options.sharing.isFromPeer(request);
  }

  /** @returns undefined when that runner is not there */
  async answer(id: CallId, request: PassedRequest): Promise<PeerAnswer | undefined> {
    const found = await this.find(id);
    const peer = found && this.#runnerOf(found);
    return peer && (await this.options.sharing.peers.pass(peer, request));
  }

  async passOn(call: PlacedCall, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const peer = this.#runnerOf(call);
    return peer !== undefined && (await this.options.sharing.peers.passOn(peer, request, response));
  }
}

const runnerOf = ({ id, machine, pid, calls, warm, lateMs, isDraining }: Member, isOwn: boolean): ClusterRunner => ({
  id,
  machine,
  pid,
  liveCalls: calls,
  readyBots: warm,
  lateMs,
  isStopping: isDraining,
  isOwn,
});
