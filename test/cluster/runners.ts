import { silentLogger } from '../../src/base/logger.js';
import { ClusterCoordination } from '../../src/cluster/cluster-coordination.js';
import { joinCluster } from '../../src/cluster/join-cluster.js';
import type { JoinedCluster } from '../../src/cluster/members/joined-cluster.js';
import { until } from '../e2e/processes.js';
import { HandApi } from '../runner/hand-api.js';
import { AUTH_ID, AUTH_TOKEN, type DialledCall, type StartAnswer, startCall } from '../runner/hand-carrier.js';
import { IN_PROCESS } from '../runner/in-process-bots.js';
import { RunnerUnderTest, type TestRunnerOptions } from '../runner/runner-under-test.js';
import { RedisServer } from './redis-server.js';

export const PUBLIC_URL = 'https://bot.example.com';

/** One runner of a cluster. What a carrier sends to the public address comes to the runner that the test chooses. */
export class ClusterRunner extends RunnerUnderTest {
  constructor(
    readonly cluster: JoinedCluster,
    options: TestRunnerOptions,
  ) {
    super({ ...IN_PROCESS, publicUrl: PUBLIC_URL, coordination: new ClusterCoordination(cluster), ...options });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.cluster.leave();
  }
}

/** Runners in the test's own process, on a real Redis, and the API of a carrier that does what the test says. */
export class RunnersUnderTest implements AsyncDisposable {
  readonly all: ClusterRunner[] = [];

  static async start(count: number, options: TestRunnerOptions = {}): Promise<RunnersUnderTest> {
    const started = new RunnersUnderTest(await RedisServer.start(), await HandApi.start(), options);
    for (let no = 0; no < count; no += 1) await started.add();
    return started;
  }

  private constructor(
    readonly redis: RedisServer,
    readonly api: HandApi,
    private readonly options: TestRunnerOptions,
  ) {}

  async add(options: TestRunnerOptions = {}): Promise<ClusterRunner> {
    const added = await this.prepare(options);
    await added.runner.start();
    return added;
  }

  /** One that has not started. */
  async prepare(options: TestRunnerOptions = {}): Promise<ClusterRunner> {
    const cluster = await joinCluster({ url: this.redis.url, name: 'test', logger: silentLogger });
    const credentials = { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: this.api.url };
    const added = new ClusterRunner(cluster, { credentials, ...this.options, ...options });
    this.all.push(added);
    return added;
  }

  /** The one with this number, from 0 on. */
  at(no: number): ClusterRunner {
    const runner = this.all[no];
    if (!runner) throw new Error(`there is no runner ${no}`);
    return runner;
  }

  /** A call that this runner dials, as soon as the cluster lets it: a Redis that has just been started is waited for. */
  async dial(no: number, request: object = { phone_number: '+12025550101' }): Promise<DialledCall> {
    const { runner, carrier } = this.at(no);
    let answer: StartAnswer | undefined;
    const isDialled = async () => {
      answer = await startCall(runner, request);
      return answer.status !== 503;
    };
    await until(isDialled, 'a call is dialled');
    if (answer?.status !== 202) throw new Error(`status ${answer?.status}: ${JSON.stringify(answer?.body)}`);
    return carrier.dialled(this.api, answer.body);
  }

  async knowEachOther(): Promise<void> {
    const others = this.all.length - 1;
    await until(
      () => this.all.every(({ cluster }) => cluster.members.others.length === others),
      'they know each other',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((runner) => runner[Symbol.asyncDispose]()));
    await this.api[Symbol.asyncDispose]();
    await this.redis[Symbol.asyncDispose]();
  }
}
