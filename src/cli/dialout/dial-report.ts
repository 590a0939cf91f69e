import { passedSeconds } from '../../call/call-length.js';
import type { CallRecord } from '../../call/call-record.js';
import { endWords } from '../../call/end-text.js';
import type { CallStarted } from '../../runners/runner-client.js';
import type { Output } from '../../terminal/output.js';
import type { StopSignal } from '../../terminal/signals.js';

/** Tells a person and a program what becomes of one dialled call. Times count from its start. */
export class DialReport {
  #last: CallRecord | undefined;

  constructor(private readonly output: Output) {}

  dialling(to: string, server: string, { callId, carrierCallId, warnings }: CallStarted): void {
    for (const warning of warnings) this.output.warn(warning);
    this.output.event('dialling', { to, server, callId, carrierCallId });
    this.output.line(`Dialling ${this.output.paint.bold(to)} (call ${callId})`);
  }

  /** The last word when the command does not wait for the end. */
  placed({ callId }: CallStarted): void {
    this.output.result(callId);
    this.output.line(`Follow it: npx voicebot calls ${callId}`);
  }

  changed(call: CallRecord): void {
    this.output.event('call', { callId: call.id, call });
    const known = this.#last ? newsOf(this.#last) : [];
    for (const { text, atMs } of newsOf(call)) if (!known.some((old) => old.text === text)) this.#tell(text, atMs);
    const isBack = call.state === 'starting' || call.state === 'connected';
    if (isBack && this.#last?.state === 'transferring') this.#tell('back from the transfer', undefined);
    this.#last = call;
  }

  ended(call: CallRecord, succeeded: boolean): void {
    const { id, endReason, direction, startedAt, answeredAt, endedAt = startedAt } = call;
    const talkedMs = answeredAt === undefined ? 0 : endedAt - answeredAt;
    this.output.event('ended', {
      callId: id,
      endReason: endReason ?? 'unknown',
      isAnswered: answeredAt !== undefined,
      durationMs: endedAt - startedAt,
      talkedMs,
      succeeded,
    });
    const talk = answeredAt === undefined ? '' : `, ${seconds(talkedMs)} of it answered`;
    const why = endReason ? `: ${endWords(endReason, direction)} ${this.output.paint.dim(`(${endReason})`)}` : '';
    this.#tell(`ended after ${seconds(endedAt - startedAt)}${talk}${why}`, endedAt - startedAt);
  }

  /** @param callId undefined when the runner has not answered yet */
  leaving(signal: StopSignal, callId: string | undefined): void {
    this.output.event('stopping', { signal, callId });
    this.output.line(
      callId === undefined
        ? 'The runner has not answered yet and may still dial. Look: npx voicebot calls'
        : `No longer waiting: the call goes on. Look at it: npx voicebot calls ${callId}`,
    );
  }

  #tell(text: string, atMs: number | undefined): void {
    const clock = atMs === undefined ? '' : `${(atMs / 1_000).toFixed(2)} s`;
    this.output.line(`${this.output.paint.dim(clock.padStart(9))}  ${text}`);
  }
}

/** What has happened on a call so far, oldest first; what has passed without a trace is left out. */
function newsOf(call: CallRecord): Array<{ text: string; atMs?: number }> {
  const { state, startedAt, answeredAt, answeredBy, connectedAt, attempt } = call;
  return [
    ...(state === 'ringing' ? [{ text: 'ringing' }] : []),
    ...(answeredAt === undefined ? [] : [{ text: 'answered', atMs: answeredAt - startedAt }]),
    ...(answeredBy === 'machine' ? [{ text: 'a machine answered' }] : []),
    ...(connectedAt === undefined ? [] : [{ text: 'connected to the bot', atMs: connectedAt - startedAt }]),
    ...(attempt === 1 ? [] : [{ text: `bot ${attempt} takes over: an earlier one failed or is late` }]),
    ...(state === 'transferring' ? [{ text: 'transferring' }] : []),
  ];
}

const seconds = (ms: number) => `${passedSeconds(ms)} s`;
