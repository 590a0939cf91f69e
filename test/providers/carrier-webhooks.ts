import type { EndReason } from '../../src/call/call.js';
import type { CarrierWebhook, WebhookEvent } from '../../src/providers/carrier.js';

export type Fields = Record<string, string>;
type Parse = (fields: Fields) => CarrierWebhook;

/** @param over the end of a call, without its duration */
export function testDurations(parse: Parse, over: Fields, name: string): void {
  test.each(['', 'soon', '-1', '1.5', '1e3', '9'.repeat(40)])('does not make a duration out of %j', (duration) => {
    const { event, hangup } = parse({ ...over, [name]: duration });
    expect([event, hangup?.durationMs]).toEqual(['hangup', undefined]);
  });
}

/** A carrier whose calls go by `CallSid`, and what it sends. */
export interface CallSidCarrier {
  readonly parse: Parse;
  readonly callId: string;
  readonly legId: string;
  /** What stands in each webhook about a call that comes in. */
  readonly inbound: Fields;
  /** What tells news of a call from a request for its document. */
  readonly progress: Fields;
  /** What stands in each webhook about a call to a third party, beside its identifiers and number. */
  readonly dialled: Fields;
  readonly events: ReadonlyArray<readonly [fields: Fields, event: WebhookEvent]>;
  readonly ends: ReadonlyArray<readonly [fields: Fields, reason: EndReason, cause: string]>;
  /** What may answer; undefined where the carrier cannot say whether it is a machine. */
  readonly answerers: ReadonlyArray<readonly [answeredBy: string, isMachine: boolean | undefined]>;
  /** States of the call of a third party, which has been dialled, that mean nothing yet or any more. */
  readonly otherStates: readonly string[];
  /** The carrier has lost the stream. */
  readonly lost: { readonly event: string; readonly why: string };
  readonly noCallIds: readonly string[];
}

/** What holds for the webhooks of each such carrier. */
export function describeCallSidWebhooks(carrier: CallSidCarrier): void {
  const { parse, callId, legId, inbound, progress, dialled, lost } = carrier;

  test.each(carrier.events)('takes %j for %s', (parameters, event) => {
    expect(parse(parameters).event).toBe(event);
  });

  test.each(carrier.ends)('reads the end %j as %s', (parameters, reason, cause) => {
    const { event, hangup } = parse({ ...progress, ...parameters, CallDuration: '17', Duration: '1' });
    const { HangupSource: source = 'Unknown' } = parameters;
    expect([event, hangup]).toEqual(['hangup', { reason, cause, source, durationMs: 17_000 }]);
  });

  testDurations(parse, { ...inbound, CallStatus: 'completed' }, 'CallDuration');

  test.each(carrier.answerers)('what answered as %j is a machine: %j', (AnsweredBy, isMachine) => {
    const webhook = parse({ CallSid: callId, AnsweredBy, MachineDetectionDuration: '100' });
    expect([webhook.event, webhook.isMachine]).toEqual(['machine_detection', isMachine]);
  });

  test("a dialled third party is told of under the caller's identifier while it is called", () => {
    const callback = { ...progress, ...dialled, CallSid: legId, ParentCallSid: callId, To: '+12025550102' };
    expect(parse({ ...callback, CallStatus: 'in-progress' })).toMatchObject({
      event: 'dial',
      providerCallId: callId,
      dial: { phase: 'answered', legId, to: '+12025550102' },
    });
    for (const CallStatus of carrier.otherStates) {
      expect(parse({ ...callback, CallStatus })).toMatchObject({
        event: 'dial',
        providerCallId: callId,
        dial: { phase: 'other' },
      });
    }
  });

  test("says why the stream was lost, in the carrier's words", () => {
    const news = { CallSid: callId, StreamSid: 'MZ1', StreamEvent: lost.event };
    expect(parse({ ...news, StreamError: lost.why }).streamProblem).toBe(lost.why);
    expect(parse(news).streamProblem).toBe(lost.event);
    expect(parse({ ...news, StreamEvent: 'stream-stopped' }).streamProblem).toBeUndefined();
    expect(parse({ ...news, StreamEvent: 'stream-stopped', StreamError: 'x' }).streamProblem).toBeUndefined();
  });

  test.each(carrier.noCallIds)('does not take %j for a call', (CallSid) => {
    expect(parse({ ...inbound, CallSid, CallStatus: 'ringing' }).providerCallId).toBeUndefined();
    const dial = { ...progress, ...dialled, CallSid: legId, ParentCallSid: CallSid || ' ', CallStatus: 'in-progress' };
    expect(parse(dial).providerCallId).toBeUndefined();
  });
}
