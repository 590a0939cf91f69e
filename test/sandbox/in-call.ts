import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.js';
import { FakeApplication } from './fake-application.js';
import { AUTH_TOKEN, FakeCaller, startFastSandbox } from './fake-caller.js';
import { restClient } from './rest.js';

export interface AnsweredCall {
  readonly application: FakeApplication;
  readonly sandbox: Sandbox;
  readonly caller: FakeCaller;
  readonly callId: string;
  readonly rest: ReturnType<typeof restClient>;
}

/** Runs `check` in a call to an application that answers with these verbs. */
export async function inCall(
  verbs: (application: FakeApplication) => string,
  check: (call: AnsweredCall) => Promise<void>,
  options: Partial<SandboxOptions> = {},
): Promise<void> {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', verbs(application));
  await using sandbox = await startFastSandbox({
    answerUrl: application.url('/answer'),
    hangupUrl: application.url('/hangup'),
    ...options,
  });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const answer = await application.webhook('StartApp');
  const callId = answer.parameters.get('CallUUID') ?? '';
  await check({ application, sandbox, caller, callId, rest: restClient(sandbox.apiUrl) });
}
