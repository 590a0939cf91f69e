import type { EventEmitter } from 'node:events';
import pRetry from 'p-retry';
import { timeLimit } from '../base/async/time-limit.js';
import { type ErrorCode, VoicebotError } from '../base/errors.js';
import { isLoopbackHost, isLoopbackName } from '../base/http/loopback-host.js';
import { basicEnvironment } from '../base/process/basic-environment.js';
import type { RouteUrls } from '../call/number-routing.js';
import type { Config } from '../config/config.js';
import type { Environment } from '../config/environment.js';
import type { Runner } from '../runner/runner.js';
import { chooseTunnel } from '../runner/tunnel/choose-tunnel.js';
import { httpGet } from '../runner/tunnel/http-get.js';
import { publicUrlProvider } from '../runner/tunnel/public-url.js';
import { Tunnel, type TunnelEvents } from '../runner/tunnel/tunnel.js';
import type { Output } from '../terminal/output.js';
import type { Account } from './account.js';
import type { HeldNumbers } from './held-numbers.js';
import { tellNoAccount } from './no-account.js';
import type { TransportKind } from './transports.js';

const DOOR_LIMIT_MS = 5_000;
/** Connections that a tunnel with a limit keeps for webhooks while calls take the others. */
const SPARE_CONNECTIONS = 2;

/**
 * Makes a runner reachable for its provider: opens the tunnel, or checks the public address, and tells the runner.
 * @param port where a tunnel leads on this machine. Default: to the runner
 * @throws VoicebotError VB_TUNNEL_FAILED, VB_CONFIG_INVALID
 */
export async function openPublicSide(
  runner: Runner,
  account: Account,
  config: Config,
  environment: Environment,
  signal: AbortSignal,
  port = runner.port,
): Promise<Tunnel> {
  const provider = config.publicUrl
    ? publicUrlProvider(config.publicUrl)
    : await chooseTunnel({
        kind: config.tunnel === 'none' ? 'auto' : config.tunnel,
        server: config.tunnelServer,
        ngrokAuthtoken: config.ngrokAuthtoken,
        environment: basicEnvironment(environment),
      });
  const options = { provider, port, probe: runner.probe };
  const isFull = () => runner.maxCalls !== undefined && runner.liveCalls >= runner.maxCalls;
  const tunnel = await Tunnel.open({ ...options, isFull }, signal);
  if (account.kind === 'carrier' && tunnel.maxConnections !== undefined) {
    runner.maxCalls = Math.max(1, tunnel.maxConnections - SPARE_CONNECTIONS);
  }
  try {
    await assertNotPubliclyTrusted(tunnel.url);
  } catch (error) {
    await tunnel.close();
    throw error;
  }
  runner.reach.back(tunnel.url);
  return tunnel;
}

/**
 * What comes from outside must not pass for something on this machine: a proxy beside us that rewrites `Host` and adds no
 * forwarding header would open the operator's addresses, `/start` among them, to everybody.
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export async function assertNotPubliclyTrusted(publicUrl: string): Promise<void> {
  if (isLoopbackName(new URL(publicUrl).hostname)) return;
  const asked = httpGet(new URL('/health', publicUrl), {}, timeLimit(DOOR_LIMIT_MS));
  const { status } = await asked.catch(() => ({ status: 0 })); // that requests come through was seen a moment ago
  if (status !== 200) return;
  throw new VoicebotError(
    'VB_CONFIG_INVALID',
    `every request to ${publicUrl} looks like one of a program on this machine`,
    {
      hint: 'Name the proxy in front of the runner in VOICEBOT_TRUSTED_PROXIES, such as 127.0.0.1, or have it keep the Host header',
    },
  );
}

/**
 * Refuses, before anything is opened, what could never work.
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export function checkPublicSide({ publicUrl, tunnel, host }: Config, { credentials: { apiUrl } }: Account): void {
  const problems: string[] = [];
  if (!publicUrl && tunnel === 'none') {
    problems.push('the provider needs an address under which it can reach this server');
  }
  if (!publicUrl && tunnel !== 'none' && !isLoopbackHost(host) && !isAnyHost(host)) {
    problems.push(`a tunnel leads to this machine itself, but the server listens on ${host} only`);
  }
  if (publicUrl && isLoopbackHost(new URL(publicUrl).hostname) && !isLoopbackHost(new URL(apiUrl).hostname)) {
    problems.push(`${publicUrl} leads to this machine, which the provider cannot reach`);
  }
  if (problems.length > 0) {
    throw new VoicebotError('VB_CONFIG_INVALID', problems.join('\n'), {
      hint: 'Give it with --public-url https://…, open a tunnel with --tunnel auto, or use --sandbox',
    });
  }
}

/**
 * Says why there is no account, where one was looked for.
 * @throws VoicebotError VB_CONFIG_INVALID when the sandbox could not reach this runner
 */
export function announceSandbox(options: SandboxRun): void {
  const { sandbox, config, output } = options;
  if (!sandbox) tellNoAccount(output, options);
  if (isLoopbackHost(config.host) || isAnyHost(config.host)) return;
  throw new VoicebotError('VB_CONFIG_INVALID', `the sandbox cannot reach a server on ${config.host}`, {
    hint: 'Leave --host out, or use 0.0.0.0 to listen everywhere',
  });
}

type SandboxRun = Parameters<typeof tellNoAccount>[1] & {
  /** It was asked for. */
  readonly sandbox: boolean;
  readonly config: Config;
  readonly output: Output;
};

const isAnyHost = (host: string) => host === '0.0.0.0' || host === '::';

/** The addresses that the provider of this transport is given for a number. */
export function routeUrlsOf({ addresses }: Pick<Runner, 'addresses'>, transport: TransportKind): RouteUrls {
  const { answerUrl, hangupUrl, dialinUrl } = addresses;
  return transport === 'carrier' ? { answerUrl, hangupUrl } : { answerUrl: dialinUrl, hangupUrl: dialinUrl };
}

export interface FollowOptions {
  runner: Pick<Runner, 'reach' | 'addresses'>;
  tunnel: Pick<Tunnel, 'url' | 'isUp'> & EventEmitter<TunnelEvents>;
  transport: TransportKind;
  /** What points there too. */
  held: Pick<HeldNumbers, 'move'> | undefined;
  onLost: (reason: string) => void;
  /** @param hasMoved it has another name now, and the number points there */
  onBack: (url: string, hasMoved: boolean) => void;
  onProblem: (message: string) => void;
}

/** Keeps runner and number on the tunnel's name, whatever becomes of it. @returns what ends this */
export function followTunnel({ runner, tunnel, transport, held, ...news }: FollowOptions): () => void {
  /** One after the other: the last name counts. Never rejects, as the names to come have their turn whatever happens. */
  let moving: Promise<unknown> = Promise.resolve();
  /** Where the numbers point; undefined while some may not have followed. */
  let pointedAt: string | undefined = runner.addresses.publicUrl;
  const stopped = new AbortController();
  /** Aborted when the tunnel comes back once more. */
  let latest = new AbortController();
  const onProblem = ({ message }: Error) => news.onProblem(`the number does not follow the tunnel: ${message}`);
  const follow = async (url: string, isOutdated: AbortSignal) => {
    if (isOutdated.aborted) return;
    const hasMoved = url !== pointedAt;
    if (hasMoved && held) {
      pointedAt = undefined;
      // What is under way at the provider is not broken off for another name, which comes after it.
      const move = () => held.move(routeUrlsOf(runner, transport), stopped.signal);
      await untilMoved(move, onProblem, isOutdated);
    }
    pointedAt = url;
    news.onBack(url, hasMoved);
  };
  const lost = (reason: string) => {
    runner.reach.lost();
    news.onLost(reason);
  };
  const back = (url: string) => {
    runner.reach.back(url);
    latest.abort();
    latest = new AbortController();
    const isOutdated = AbortSignal.any([stopped.signal, latest.signal]);
    moving = moving
      .then(() => follow(url, isOutdated))
      .catch((error: Error) => {
        if (!isOutdated.aborted) onProblem(error);
      });
  };
  tunnel.on('lost', lost).on('back', back);
  // It may have gone, and come back, while the number was pointed here.
  if (!tunnel.isUp) lost('it was lost while the number was pointed here');
  else if (tunnel.url !== runner.addresses.publicUrl) back(tunnel.url);
  return () => {
    stopped.abort();
    tunnel.off('lost', lost).off('back', back);
  };
}

/**
 * What does not get through is tried again until the tunnel comes back once more; a number that another program or person has changed is not.
 * @param onProblem told once, while it goes on
 */
function untilMoved(
  move: () => Promise<void>,
  onProblem: (error: Error) => void,
  isOutdated: AbortSignal,
): Promise<void> {
  const isPassing = (error: Error) => error instanceof VoicebotError && PASSING.includes(error.code);
  return pRetry(move, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 500,
    maxTimeout: 10_000,
    signal: isOutdated,
    shouldRetry: ({ error }) => isPassing(error),
    onFailedAttempt: ({ error, attemptNumber }) => {
      if (attemptNumber === 1 && isPassing(error) && !isOutdated.aborted) onProblem(error);
    },
  });
}

const PASSING: readonly ErrorCode[] = [
  'VB_CARRIER_REQUEST_FAILED',
  'VB_CARRIER_UNREACHABLE',
  'VB_CLUSTER_UNREACHABLE',
  'VB_ROOMS_REQUEST_FAILED',
  'VB_ROOMS_UNREACHABLE',
];
