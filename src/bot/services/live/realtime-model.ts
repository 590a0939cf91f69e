import type {
  Experimental_RealtimeClientEvent,
  Experimental_RealtimeModel,
  Experimental_RealtimeServerEvent,
  Experimental_RealtimeSessionConfig,
} from 'ai';

/**
 * A realtime model of the `ai` package's contract, such as `openai.experimental_realtime('gpt-realtime-2.1')`. Only what tells one from
 * something else: the vendor's package knows the rest.
 */
export interface RealtimeModel {
  readonly specificationVersion: string;
  /** Such as `openai.realtime`. */
  readonly provider: string;
  readonly modelId: string;
  /** Reads what the vendor sends; only a live service calls it. */
  parseServerEvent(raw: unknown): unknown;
  /** Writes what is sent to the vendor; only a live service calls it. */
  serializeClientEvent(event: never): unknown;
  /** The settings of a session as the vendor has them; only a live service calls it. */
  buildSessionConfig(config: never): unknown;
}

/** The contract as a whole. An experimental one: what changes in it breaks our compile, not a call. */
export type LiveModel = Experimental_RealtimeModel;
export type LiveServerEvent = Experimental_RealtimeServerEvent;
export type LiveErrorEvent = Extract<LiveServerEvent, { type: 'error' }>;
export type LiveClientEvent = Experimental_RealtimeClientEvent;
export type LiveConfig = Experimental_RealtimeSessionConfig;

/** Whether it is a realtime model, of any version. */
export function isRealtimeModel(given: unknown): given is RealtimeModel {
  const { parseServerEvent, serializeClientEvent } = Object(given) as Partial<RealtimeModel>;
  return typeof parseServerEvent === 'function' && typeof serializeClientEvent === 'function';
}

/** Whether it speaks and listens all the time, and has no turns. */
export const isContinuous = ({ capabilities }: LiveModel): boolean => capabilities?.conversation === 'continuous';
