import type { DtmfDigit } from '../base/audio/dtmf-digit.js';
import type { Exception } from '../base/exception/exception.js';
import type { CallRecord } from './call-record.js';
import type { HeardNotice, NoticeKind } from './disclosure.js';
import type { DoNotCallOutcome, DoNotCallWay } from './do-not-call.js';
import type { ServiceKind, ServiceModel, ServiceName } from './service-name.js';
import type { TransferOutcome } from './transfer-outcome.js';
import type { TurnReport } from './turn-report.js';
import type { ServiceUsage } from './usage.js';

/**
 * What happened in a call, in the words that its folder, the page, the terminal, metrics, traces and the events of an application
 * share. Plain JSON: a line of `events.ndjson` is one of these.
 */
export type TimelineEvent = TimelineEntry & {
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly at: number;
  /** Which process noted it. */
  readonly source: 'runner' | 'bot';
  /** Which bot of the call, where a bot noted it: its `attempt`. */
  readonly bot?: number;
  /** It is kept nowhere: those who follow the call are told, and no other. */
  readonly unkept?: true;
};

/** An event before its time is noted. A new kind is declared here; a program that does not know a kind passes over it. */
export type TimelineEntry = RunnerEntry | BotEntry;

/** What the runner sees. */
export type RunnerEntry =
  /** The call's record has changed. */
  | { readonly type: 'record'; readonly record: CallRecord }
  /** The call is in another phase (see `runner/calls/phase.ts`). */
  | { readonly type: 'phase'; readonly phase: string }
  /** The provider has called us. `path` without its query; `event` as the provider's folder has read it. */
  | {
      readonly type: 'webhook';
      readonly path: string;
      readonly event: string;
      /** HTTP status of our answer, and how long it took. */
      readonly status: number;
      readonly ms: number;
    }
  /** The document that answered it; secrets of its addresses are left out. */
  | { readonly type: 'document'; readonly path: string; readonly document: string }
  /** We have asked the provider's REST API. `status` is missing when no answer came. */
  | {
      readonly type: 'request';
      readonly method: string;
      readonly path: string;
      readonly status?: number | undefined;
      readonly ms: number;
    }
  /** The other party has asked not to be called again, and what became of that. */
  | { readonly type: 'do_not_call'; readonly how: DoNotCallWay; readonly outcome: DoNotCallOutcome }
  /** A bot of the call has been given it. */
  | { readonly type: 'bot_assigned'; readonly bot: number }
  /** Its function has settled, or its process is gone. */
  | {
      readonly type: 'bot_done';
      readonly bot: number;
      readonly outcome: string;
      /** Of what its function has thrown, a class of errors: no words of anybody. */
      readonly errorType?: string;
    }
  /** A line that the bot has written. `exception`: of a line that says that its code has thrown. */
  | { readonly type: 'output'; readonly line: string; readonly exception?: Exception }
  | TraceEntry
  | LogEntry;

/** What a bot's process sees. */
export type BotEntry =
  /** A message of the media stream, its audio left out: `start`, `mark`, `dtmf`, `clear`, `stop`, `close`, … */
  | { readonly type: 'wire'; readonly direction: 'in' | 'out'; readonly name: string; readonly detail?: string }
  /** The other party is there and hears the bot. */
  | { readonly type: 'caller_joined' }
  | { readonly type: 'speech_started'; readonly speaker: Speaker }
  /**
   * `heardMs`: how much of the bot's speech the caller has heard. Of the caller: at the end of the sound, which the bot's detector has noticed later,
   * so that events which happened meanwhile may stand before it.
   */
  | {
      readonly type: 'speech_stopped';
      readonly speaker: Speaker;
      readonly heardMs?: number;
      readonly wasInterrupted?: boolean;
    }
  /**
   * The bot begins to say a piece of text, as its voice is given it. `startsAt`: when the caller begins to hear it, unless the bot is
   * interrupted before; estimated, in milliseconds since the Unix epoch. `utterance`: which stretch of speech it is a piece of.
   */
  | { readonly type: 'saying'; readonly text: string; readonly startsAt: number; readonly utterance?: number }
  /**
   * When the caller hears words of an utterance, unless the bot is interrupted or held before: as the voice tells it, or by the sound.
   * `from`: how many words of the utterance stand before them; what was told of the words from there on counts no more. Kept nowhere.
   */
  | {
      readonly type: 'word_times';
      readonly utterance: number;
      readonly from: number;
      readonly words: readonly WordTime[];
    }
  /** What the caller seems to be saying since their last final words: replaced by the next of these, or by `said`. Kept nowhere. */
  | { readonly type: 'interim_transcript'; readonly text: string }
  /** The bot's speech is held for a sound of the caller; `speech_held` follows. Kept nowhere. */
  | { readonly type: 'hold_started' }
  /**
   * What the caller was understood to say, final; or what the caller has heard of an utterance of the bot. `unheard`: the rest of
   * that utterance. `startedAt`: when it began to be spoken, milliseconds since the Unix epoch.
   */
  | {
      readonly type: 'said';
      readonly speaker: Speaker;
      readonly text: string;
      readonly startedAt?: number;
      readonly unheard?: string;
      readonly wasInterrupted?: boolean;
      /** Of the bot: which stretch of speech it is, as in `saying`. */
      readonly utterance?: number;
      /** Of the caller: it was typed, at `startedAt`. */
      readonly typed?: true;
      /** Of the caller: understood by something else than the bot's ears. */
      readonly by?: HeardBy;
    }
  /**
   * The caller has heard a recorded line, which is no answer: that it takes a moment, or that the bot is sorry, as far as `text` (empty
   * where it is not known) was heard. `startedAt`: when it began, milliseconds since the Unix epoch.
   */
  | {
      readonly type: 'line_played';
      readonly line: 'hold' | 'apology';
      readonly text: string;
      readonly startedAt: number;
    }
  /** The bot begins to work on an answer. */
  | {
      readonly type: 'turn_started';
      readonly turn: number;
      /** The caller's last sound, milliseconds since the Unix epoch; missing in a turn that the bot begins. */
      readonly startedAt?: number | undefined;
      /** How much later the last final transcript came; 0 when it was there before. */
      readonly finalTranscriptMs?: number | undefined;
    }
  /** It has been said, or was interrupted. `startedAt`: what its times count from, milliseconds since the Unix epoch. */
  | ({ readonly type: 'turn_ended'; readonly startedAt: number } & TurnReport)
  /** The model is asked. `response` counts the answers of the model in this call. */
  | {
      readonly type: 'model_asked';
      readonly turn: number;
      readonly response: number;
      readonly model: string;
      /** Name of the vendor, as in `service`. */
      readonly provider: string;
      /** Fingerprints of the system prompt and of each function that it may call, the first time and where they have changed. */
      readonly prompt?: string;
      readonly functions?: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'model_answered';
      readonly turn: number;
      readonly response: number;
      readonly ms: number;
      readonly firstTokenMs?: number | undefined;
      readonly inputTokens?: number | undefined;
      readonly outputTokens?: number | undefined;
      readonly finishReason?: string | undefined;
      /** What it failed with. */
      readonly error?: string;
      /** A class of errors, such as `VB_PROVIDER_FAILED`: no words of anybody. */
      readonly errorType?: string | undefined;
    }
  /** The model has called a function; `call` is the model's own name for that. */
  | {
      readonly type: 'tool_called';
      readonly turn?: number;
      readonly call: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'tool_returned';
      readonly call: string;
      readonly name: string;
      readonly output: unknown;
      readonly isError: boolean;
      readonly ms: number;
      /** A class of errors, such as `timeout`: no words of anybody. */
      readonly errorType?: string | undefined;
    }
  /** A service has begun to work for the call. */
  | ({ readonly type: 'service' } & ServiceName)
  /** What services were used for since this was told last: at the end of the bot, and at most twice a minute before. */
  | { readonly type: 'usage'; readonly used: readonly ServiceUsage[] }
  /**
   * Another service goes on in the place of one that has failed or takes too long. `why`: in the vendor's words. `ms`: how long the call
   * had none that worked by then; 0 where one took over from the other. `turn`: which answer it was.
   */
  | {
      readonly type: 'service_switched';
      readonly does: ServiceKind;
      readonly from: ServiceModel;
      readonly to: ServiceModel;
      readonly why: string;
      readonly ms: number;
      readonly turn?: number | undefined;
      /** A class of errors, such as `VB_PROVIDER_FAILED`: no words of anybody. */
      readonly errorType?: string | undefined;
    }
  /** Another language is spoken from here on; `from`: the one before, where the bot has said which. BCP 47 tags, such as `es-MX`. */
  | { readonly type: 'language_changed'; readonly language: string; readonly from?: string }
  /** The voice is asked for an utterance; `turn` where that is an answer of the model. */
  | { readonly type: 'voice_asked'; readonly utterance: number; readonly turn?: number | undefined }
  /** It has given all of its audio, or will give no more. */
  | {
      readonly type: 'voice_answered';
      readonly utterance: number;
      readonly ms: number;
      /** Missing when there was no audio. */
      readonly firstAudioMs?: number | undefined;
      readonly outcome: 'said' | 'failed' | 'cancelled';
    }
  | TraceEntry
  /** Keys: the caller's `in`, the bot's `out`. `•` stands for one that is masked. */
  | { readonly type: 'keys'; readonly direction: 'in' | 'out'; readonly keys: DtmfDigit | string }
  /** `isWarm`: by a call beside this one, to which the bot joins the caller. */
  | { readonly type: 'transfer_asked'; readonly to: string; readonly isWarm?: true | undefined }
  | ({ readonly type: 'transfer_over'; readonly to: string; readonly isWarm?: true | undefined } & Pick<
      TransferOutcome,
      'status'
    > & { readonly detail?: string | undefined })
  /**
   * The bot's speech was held for a sound of the caller, and the hold is over. `ms`: how long it was held. `resumed`: the bot went on
   * with the same words; otherwise the caller's words made an interruption of it, or the bot's speech was dropped.
   */
  | { readonly type: 'speech_held'; readonly ms: number; readonly resumed: boolean }
  /**
   * Audio of the bot that came too late for its place, or was missing in the middle of speech; counted over one stretch of speech.
   * `ms`: of silence; `frames`: those that came late, 20 ms each.
   */
  | { readonly type: 'audio_gap'; readonly ms: number; readonly frames: number }
  /** The other party has heard to its end that a machine calls, or that the call is recorded. */
  | ({ readonly type: 'notice_heard'; readonly notice: NoticeKind } & HeardNotice)
  /** Something failed and the call goes on. */
  | {
      readonly type: 'warning';
      readonly message: string;
      readonly from?: string | undefined;
      /** A class of errors, such as `VB_TRANSFER_FAILED` or `TypeError`: no words of anybody. */
      readonly errorType?: string | undefined;
    }
  /** `started`: `audio.wav` begins with the sample at `startedAt` (milliseconds since the Unix epoch). `reason`: why it stopped. */
  | {
      readonly type: 'recording';
      readonly is: 'started' | 'paused' | 'resumed' | 'stopped' | 'failed' | 'removed';
      readonly startedAt?: number;
      readonly sampleRate?: number;
      readonly reason?: string;
    }
  /** The call is served by stand-ins in place of the services that need keys. */
  | { readonly type: 'stand_ins'; readonly services: readonly string[] }
  | LogEntry;

/** A word and when it is heard, in milliseconds since the Unix epoch. */
export interface WordTime {
  readonly text: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Kinds that are kept nowhere: they show those who follow a call what is being said. */
export const PASSING: readonly BotEntry['type'][] = ['word_times', 'interim_transcript', 'hold_started'];

/** Who speaks. */
export type Speaker = 'caller' | 'bot';

/** What has understood a caller in place of the bot's ears: the speech recognition of the browser that the page's phone is in. */
export type HeardBy = 'browser';

/** What `model_asked` or `tool_called` has begun: its `response`, or its `call`. */
export type TimelineStep = { readonly response: number } | { readonly call: string };

/** Spans of the call hang below this one: of the program that has started the call, or of the bot that notes it. */
interface TraceEntry {
  readonly type: 'trace';
  /** As the W3C's Trace Context has it. */
  readonly traceparent: string;
}

interface LogEntry {
  readonly type: 'log';
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * Where the parts of a bot note what happens in its call. A processor finds it in the `StartFrame`; it is missing where no runner
 * has started the bot.
 */
export interface CallTimeline {
  /** Never throws, and never waits. @param at default: now */
  note(entry: BotEntry, at?: number): void;
  /** Does work that belongs to a request to the model or to a function call, so that spans which it opens hang below its turn. */
  during<Result>(step: TimelineStep, work: () => Result): Result;
}

/** Milliseconds since the Unix epoch at a time of `performance.now()`. */
export const epochOf = (monotonicMs: number): number => performance.timeOrigin + monotonicMs;
