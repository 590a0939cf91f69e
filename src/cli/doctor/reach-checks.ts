import { Agent, request } from 'undici';
import type { Account } from '../../assembly/account.js';
import { openPublicSide } from '../../assembly/public-side.js';
import { timeLimit } from '../../base/async/time-limit.js';
import { VoicebotError } from '../../base/errors.js';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import type { Config } from '../../config/config.js';
import type { Environment } from '../../config/environment.js';
import type { Runner } from '../../runner/runner.js';
import { probePublicUrl } from '../../runner/tunnel/reach.js';
import type { Tunnel } from '../../runner/tunnel/tunnel.js';
import type { Findings } from './findings.js';

const ASK_LIMIT_MS = 5_000;

export interface ReachSubject {
  /** Started. */
  runner: Runner;
  account: Account;
  config: Config;
  environment: Environment;
  /** Signs the room provider's webhooks, base64. */
  secret: string;
  signal: AbortSignal;
}

/** The way from outside to the runner and back: tunnel, WebSocket, and signatures that survive it. */
export async function checkReach(findings: Findings, subject: ReachSubject): Promise<void> {
  const { runner, account, config, environment, signal } = subject;
  let tunnel: Tunnel;
  try {
    tunnel = await openPublicSide(runner, account, config, environment, signal);
  } catch (error) {
    signal.throwIfAborted();
    findings.fail('tunnel', error);
    return;
  }
  try {
    const ask = (overWebSocket: boolean) =>
      probePublicUrl(tunnel.url, runner.probe, { timeoutMs: ASK_LIMIT_MS, overWebSocket }, signal);
    findings.ok('tunnel', `${tunnel.url} leads here, there and back in ${await ask(false)} ms (${tunnel.note})`);
    findings.ok('WebSocket', `opens through it, ${await ask(true)} ms with the request before`);
    await checkSignatures(findings, subject);
  } catch (error) {
    signal.throwIfAborted();
    findings.fail('tunnel', new VoicebotError('VB_TUNNEL_FAILED', (error as Error).message));
  } finally {
    await tunnel.close();
  }
}

/** A webhook signed as the provider signs it is taken at the public address, and one that is not signed is refused. */
async function checkSignatures(findings: Findings, subject: ReachSubject): Promise<void> {
  const webhook = signedWebhook(subject);
  if (!webhook) return findings.ok('signature', 'only the carrier itself can sign: it shows with the first call');
  const { url, headers, body, takenAs } = webhook;
  const signed = await post(url, headers, body, subject.signal);
  const unsigned = await post(url, { 'content-type': headers['content-type'] ?? '' }, body, subject.signal);
  if (signed !== takenAs) {
    const what = `a signed webhook at ${url} was answered with ${signed}`;
    findings.fail(
      'signature',
      new VoicebotError('VB_TUNNEL_FAILED', what),
      'See whether something on the way changes the path or the body of requests',
    );
  } else if (unsigned < 400) {
    findings.fail('signature', new VoicebotError('VB_INTERNAL', `an unsigned webhook was answered with ${unsigned}`));
  } else findings.ok('signature', `signed webhooks are taken, unsigned ones refused with ${unsigned}`);
}

/** One that starts nothing: it reports a call that does not exist, or brings a call without what it takes. */
function signedWebhook({ account, runner, secret }: ReachSubject) {
  const { statusUrl, dialinUrl } = runner.addresses;
  if (account.kind === 'rooms') {
    return { url: dialinUrl, takenAs: 400, ...account.roomProvider.trialWebhook(secret, Date.now()) };
  }
  const webhook = account.carrier.trialWebhook?.(statusUrl, account.credentials);
  return webhook && { url: statusUrl, takenAs: 200, ...webhook };
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  signal: AbortSignal,
): Promise<number> {
  const agent = new Agent({ connect: { lookup: loopbackLookup } });
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { ...headers, 'bypass-tunnel-reminder': '1' },
      body,
      dispatcher: agent,
      signal: AbortSignal.any([signal, timeLimit(ASK_LIMIT_MS)]),
    });
    await answer.body.dump();
    return answer.statusCode;
  } finally {
    await agent.destroy();
  }
}
