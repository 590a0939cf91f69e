import type { Sandbox, SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { ACCOUNT_SID, AUTH_TOKEN } from '../../providers/twilio/api-account.js';
import { FakeApplication, type FakeBot, type ReceivedWebhook } from '../fake-application.js';
import { FakeCaller, startFastSandbox } from '../fake-caller.js';

export { ACCOUNT_SID, AUTH_TOKEN };
export const PAUSE = '<Pause length="3600"/>';

/** A sandbox that plays Twilio, with fast call time. */
export const startTwilio = (options: Partial<SandboxOptions> = {}): Promise<Sandbox> =>
  startFastSandbox({ carrier: 'twilio', authId: ACCOUNT_SID, authToken: AUTH_TOKEN, ...options });

export const connectTo = (application: FakeApplication, inside = ''): string =>
  `<Connect><Stream url="ws://${application.host}/ws">${inside}</Stream></Connect>`;

export interface TwilioCall {
  readonly application: FakeApplication;
  readonly sandbox: Sandbox;
  readonly caller: FakeCaller;
  readonly asked: ReceivedWebhook;
  readonly callSid: string;
}

/** Runs `check` in a call to an application that answers with these verbs; undefined: with what it was told to answer. */
export async function inTwilioCall(
  verbs: (application: FakeApplication) => string | undefined,
  check: (call: TwilioCall) => Promise<void>,
): Promise<void> {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  const answer = verbs(application);
  if (answer !== undefined) application.document('/answer', answer);
  await using sandbox = await startTwilio({
    answerUrl: application.url('/answer?line=1'),
    hangupUrl: application.url('/status'),
  });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const asked = await application.requested('/answer');
  await check({ application, sandbox, caller, asked, callSid: asked.parameters.get('CallSid') ?? '' });
}

/** The bot's end of the call's stream, and what it began with. */
export async function streamOf({ application }: TwilioCall) {
  const bot: FakeBot = await application.streams.next();
  const connected = await bot.messages.next();
  const start = await bot.messages.next();
  return { bot, connected, start, streamSid: start.streamSid as string };
}
