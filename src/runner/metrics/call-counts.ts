import { type CallDirection, type CallState, END_REASONS } from '../../call/call.js';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { TransferOutcome } from '../../call/transfer-outcome.js';
import { type TurnReport, type TurnWait, waitsIn } from '../../call/turn-report.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import type { MetricSet } from './metric-set.js';

const DIRECTIONS = ['inbound', 'outbound'] as const satisfies CallDirection[];
const LIVE_STATES = ['dialling', 'ringing', 'starting', 'connected', 'transferring'] as const satisfies CallState[];
const TRANSFER_OUTCOMES = [
  'answered',
  'busy',
  'no_answer',
  'rejected',
  'failed',
  'caller_left',
  'refused',
] as const satisfies TransferOutcome['status'][];
/** What a turn waits for, by the step of its report that ends it. */
const STEPS = {
  finalTranscript: 'transcript',
  modelRequested: 'request',
  firstToken: 'model',
  speechRequested: 'sentence',
  firstAudio: 'voice',
  firstReleased: 'release',
} as const satisfies Record<TurnWait['step'], string>;

/** Of what a caller waits for before the first word, in seconds. */
const SETUP_BUCKETS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 30, 60];
const TURN_BUCKETS = [0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 10];
const STEP_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5];
const GAP_BUCKETS = [0.02, 0.04, 0.06, 0.1, 0.2, 0.5, 1, 2, 5];
const LENGTH_BUCKETS = [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600];

/** What the calls of a runner come to, counted from their records and from what their bots note. */
export class CallCounts {
  readonly #ended;
  readonly #length;
  readonly #setup;
  readonly #greeting;
  readonly #replaced;
  readonly #turns;
  readonly #turnLatency;
  readonly #steps;
  readonly #spoken;
  readonly #gaps;
  readonly #lateFrames;
  readonly #answers;
  readonly #tokens;
  readonly #toolCalls;
  readonly #transfers;
  /** The live calls, and what has been counted of each. */
  readonly #seen = new Map<CallId, { isConnected: boolean; isHeard: boolean; attempt: number }>();

  constructor(
    set: MetricSet,
    private readonly registry: CallRegistry,
  ) {
    const direction = DIRECTIONS;
    set.gauge('calls_live', 'Calls that are going on.', { direction, state: LIVE_STATES }, () => this.#live());
    this.#ended = set.counter('calls_ended_total', 'Calls that are over, by why they ended.', {
      direction,
      end_reason: END_REASONS,
    });
    this.#length = set.histogram(
      'call_duration_seconds',
      'From the first bot that had the call to its end.',
      LENGTH_BUCKETS,
      { direction },
    );
    this.#setup = set.histogram(
      'call_setup_seconds',
      'From the webhook of an incoming call, or the request to place one, to a bot that is connected, or to its first audio.',
      SETUP_BUCKETS,
      { direction, until: ['connected', 'first_audio'] },
    );
    this.#greeting = set.histogram(
      'call_greeting_seconds',
      'From the answer of a call to the first audio of its bot: the silence that the other party hears.',
      SETUP_BUCKETS,
      { direction },
    );
    this.#replaced = set.counter('bots_replaced_total', 'Bots that others have taken a call over from.', {});
    this.#turns = set.counter('turns_total', 'Answers of bots, by whether the caller interrupted them.', {
      interrupted: ['false', 'true'],
    });
    this.#turnLatency = set.histogram(
      'turn_latency_seconds',
      "From the caller's last sound, or the request of a turn that the bot began, to the first sound of the answer that the caller heard.",
      TURN_BUCKETS,
      { since: ['caller_stopped', 'model_requested'] },
    );
    this.#steps = set.histogram('turn_step_seconds', 'What a turn waits for, step by step.', STEP_BUCKETS, {
      step: Object.values(STEPS),
    });
    this.#spoken = set.counter('bot_speech_seconds_total', 'Speech of bots that callers have heard.', {});
    this.#gaps = set.histogram(
      'audio_gap_seconds',
      'Silence in the middle of speech because audio was late, summed over one stretch of speech that had any.',
      GAP_BUCKETS,
      {},
    );
    this.#lateFrames = set.counter('frames_late_total', 'Frames of 20 ms that came too late for their place.', {});
    this.#answers = set.counter('model_answers_total', 'Answers of language models.', { outcome: ['ok', 'failed'] });
    this.#tokens = set.counter('model_tokens_total', 'Tokens, as the language models count them.', {
      kind: ['input', 'output'],
    });
    this.#toolCalls = set.counter('tool_calls_total', 'Functions that language models have called.', {
      outcome: ['ok', 'failed'],
    });
    this.#transfers = set.counter('transfers_total', 'Transfers that bots have asked for, by what became of them.', {
      outcome: TRANSFER_OUTCOMES,
    });
  }

  /** Another runner has the call now. */
  released(id: CallId): void {
    this.#seen.delete(id);
  }

  /** A call's record has changed. */
  changed({ id, direction, state, attempt, startedAt, connectedAt, endedAt, endReason }: CallRecord): void {
    const seen = this.#seen.get(id) ?? { isConnected: false, isHeard: false, attempt: 1 };
    if (attempt > seen.attempt) this.#replaced({}, attempt - seen.attempt);
    if (connectedAt !== undefined && !seen.isConnected) {
      this.#setup({ direction, until: 'connected' }, connectedAt - startedAt);
    }
    if (state === 'ended') {
      this.#seen.delete(id);
      this.#ended({ direction, end_reason: endReason ?? '' });
      if (connectedAt !== undefined && endedAt !== undefined) this.#length({ direction }, endedAt - connectedAt);
    } else this.#seen.set(id, { ...seen, attempt, isConnected: connectedAt !== undefined });
  }

  /** Something has happened in a call. What a bot says may be anything: labels and numbers are checked where they are counted. */
  noted(id: CallId, event: TimelineEvent): void {
    switch (event.type) {
      case 'speech_started':
        if (event.speaker === 'bot') this.#heard(id, event.at);
        break;
      case 'speech_stopped':
        if (event.speaker === 'bot') this.#spoken({}, (event.heardMs ?? 0) / 1_000);
        break;
      case 'turn_ended':
        this.#turn(event);
        break;
      case 'audio_gap':
        this.#gaps({}, event.ms);
        this.#lateFrames({}, event.frames);
        break;
      case 'model_answered':
        this.#answers({ outcome: event.error === undefined ? 'ok' : 'failed' });
        this.#tokens({ kind: 'input' }, event.inputTokens ?? 0);
        this.#tokens({ kind: 'output' }, event.outputTokens ?? 0);
        break;
      case 'tool_returned':
        this.#toolCalls({ outcome: event.isError ? 'failed' : 'ok' });
        break;
      case 'transfer_over':
        this.#transfers({ outcome: event.status });
        break;
    }
  }

  #live() {
    const live = this.registry.list().filter(({ state }) => state !== 'ended');
    return DIRECTIONS.flatMap((direction) =>
      LIVE_STATES.map((state) => {
        const count = live.filter((record) => record.direction === direction && record.state === state).length;
        return [{ direction, state }, count] as const;
      }),
    );
  }

  /** The first bot of a call has begun to speak. */
  #heard(id: CallId, at: number): void {
    const seen = this.#seen.get(id);
    const record = this.registry.get(id);
    if (!seen || !record || seen.isHeard) return;
    seen.isHeard = true;
    const { direction, startedAt, answeredAt } = record;
    this.#setup({ direction, until: 'first_audio' }, at - startedAt);
    if (answeredAt !== undefined) this.#greeting({ direction }, at - answeredAt);
  }

  #turn(report: TurnReport): void {
    this.#turns({ interrupted: String(report.wasInterrupted) });
    this.#turnLatency({ since: report.since }, report.firstReleasedMs);
    for (const { step, from, to } of waitsIn(report)) this.#steps({ step: STEPS[step] }, to - from);
  }
}
