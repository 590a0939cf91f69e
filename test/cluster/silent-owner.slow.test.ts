import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '../../src/base/logger.js';
import { asCallId } from '../../src/call/call-id.js';
import { CallDirectory } from '../../src/cluster/calls/call-directory.js';
import { joinCluster } from '../../src/cluster/join-cluster.js';
import type { JoinedCluster } from '../../src/cluster/members/joined-cluster.js';
import { Stream } from '../runner/hand-carrier.js';
import { muteBots } from '../runner/in-process-bots.js';
import { describeWithRedis } from './redis-server.js';
import { PUBLIC_URL, RunnersUnderTest } from './runners.js';

const ITS_DOCUMENT = '<Response><Wait length="1"/></Response>';

beforeEach(muteBots);
afterEach(() => jest.restoreAllMocks());

/** A runner that has one call, and answers when the test says so. */
class Owner implements AsyncDisposable {
  readonly callId = asCallId(randomUUID());
  readonly #waiting: Array<readonly [IncomingMessage, ServerResponse]> = [];
  #status: number | undefined;

  static async join(url: string): Promise<Owner> {
    const cluster = await joinCluster({ url, name: 'test', logger: silentLogger });
    const owner = new Owner(cluster, createServer());
    owner.server.on('request', (request, response) => owner.#hear(request, response)).listen(0, '127.0.0.1');
    await once(owner.server, 'listening');
    const { port } = owner.server.address() as AddressInfo;
    const load = { calls: 1, warm: 1, lateMs: 0, isDraining: false };
    await cluster.members.join({ peerUrl: `http://127.0.0.1:${port}`, publicUrl: PUBLIC_URL }, () => load);
    const { redis, members } = cluster;
    owner.directory = new CallDirectory({ redis, ownId: members.ownId, maxCallMs: 60_000 });
    await owner.directory.claim(owner.callId);
    return owner;
  }

  directory!: CallDirectory;

  private constructor(
    readonly cluster: JoinedCluster,
    readonly server: Server,
  ) {}

  /** From now on it answers with this status, also what it was asked before. */
  answer(status = 200): void {
    this.#status = status;
    for (const asked of this.#waiting.splice(0)) this.#hear(...asked);
  }

  /** Its connections are refused. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }

  async isOwner(): Promise<boolean> {
    return (await this.directory.ownerOf(this.callId)) === this.cluster.members.ownId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.server.listening) await this.close();
    this.directory.close();
    await this.cluster.leave();
  }

  #hear(request: IncomingMessage, response: ServerResponse): void {
    if (this.#status === undefined) this.#waiting.push([request, response]);
    else response.writeHead(request.url === '/cluster/ping' ? 200 : this.#status).end(ITS_DOCUMENT);
  }
}

describeWithRedis('a webhook for the call of another runner', () => {
  test('is answered by that one, which is waited for while it has its lease and stands still', async () => {
    await using runners = await RunnersUnderTest.start(1);
    await using owner = await Owner.join(runners.redis.url);
    setTimeout(() => owner.answer(), 2_500); // by then it has been asked in vain, and whether it is there as well
    const { answer } = await runners.at(0).carrier.answer(owner.callId);
    expect(answer.body).toBe(ITS_DOCUMENT);
    expect(await owner.isOwner()).toBe(true);
    expect(runners.at(0).runner.liveCalls).toBe(0);
  });

  test('is answered by whoever is asked when that one has lost its lease', async () => {
    await using runners = await RunnersUnderTest.start(1);
    await using owner = await Owner.join(runners.redis.url);
    const { members } = runners.at(0).cluster;
    await members.find(owner.cluster.members.ownId);
    const left = once(members, 'left');
    await owner.cluster.members.leave();
    await left;
    expect((await runners.at(0).carrier.answer(owner.callId)).verbs).toContain('Stream');
    expect(await owner.isOwner()).toBe(false);
  });

  test('is answered by whoever is asked when that one is not there, though it has its lease', async () => {
    await using runners = await RunnersUnderTest.start(1);
    await using owner = await Owner.join(runners.redis.url);
    await owner.close();
    expect((await runners.at(0).carrier.answer(owner.callId)).verbs).toContain('Stream');
    expect(await owner.isOwner()).toBe(false);
  });

  test.each(['that one', 'another one'])(
    'is answered by %s when a runner is started at the address of the one that had the call',
    async (asked) => {
      await using runners = await RunnersUnderTest.start(1);
      await using owner = await Owner.join(runners.redis.url);
      const { port } = owner.server.address() as AddressInfo;
      const restarted = await runners.prepare({ port });
      for (const { members } of [restarted.cluster, runners.at(0).cluster]) {
        await members.find(owner.cluster.members.ownId);
      }
      await owner.close();
      await owner.cluster.members.leave();
      await restarted.runner.start();
      const { carrier } = asked === 'that one' ? restarted : runners.at(0);
      expect((await carrier.answer(owner.callId)).verbs).toContain('Stream');
      expect(await owner.isOwner()).toBe(false);
    },
  );
});

describeWithRedis('a media stream that has no pass of the call of another runner', () => {
  test('moves nothing, however late that one answers', async () => {
    await using runners = await RunnersUnderTest.start(1);
    await using owner = await Owner.join(runners.redis.url);
    const { streamUrl, callId } = await runners.at(0).carrier.answer();
    setTimeout(() => owner.answer(404), 2_500);
    const { socket } = new Stream(streamUrl.replace(callId, owner.callId), runners.at(0).url);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(403);
    socket.terminate();
    expect(await owner.isOwner()).toBe(true);
  });
});
