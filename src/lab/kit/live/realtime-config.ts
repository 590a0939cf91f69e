import type { FakeFields } from './fake-live-session.js';
import type { RealtimeError } from './realtime-shapes.js';

interface RealtimeFormat {
  readonly type: 'audio/pcm' | 'audio/pcmu';
  readonly rate?: number;
}

/** How the server finds the caller's turns. */
export interface RealtimeTurnDetection {
  readonly type: 'server_vad' | 'semantic_vad';
  readonly create_response?: boolean;
  readonly interrupt_response?: boolean;
  readonly prefix_padding_ms?: number;
  readonly silence_duration_ms?: number;
}

/** What a session is configured to, complete, as on the wire. */
export interface RealtimeConfig extends FakeFields {
  readonly type: 'realtime';
  readonly model: string;
  readonly instructions: string;
  readonly output_modalities: readonly string[];
  readonly tools: readonly FakeFields[];
  readonly audio: {
    readonly input: {
      readonly format: RealtimeFormat;
      readonly transcription: FakeFields | null;
      readonly turn_detection: RealtimeTurnDetection | null;
    };
    readonly output: { readonly format: RealtimeFormat; readonly voice: unknown; readonly speed: number };
  };
}

/** What a session is configured to before the client says anything. */
export function defaultConfig(model: string): RealtimeConfig {
  const format: RealtimeFormat = { type: 'audio/pcm', rate: 24_000 };
  return {
    type: 'realtime',
    model,
    instructions: '',
    output_modalities: ['audio'],
    tools: [],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    tracing: null,
    truncation: 'auto',
    prompt: null,
    include: null,
    audio: {
      input: {
        format,
        transcription: null,
        noise_reduction: null,
        turn_detection: {
          type: 'server_vad',
          threshold: 0.5,
          prefix_padding_ms: 300,
          silence_duration_ms: 500,
          idle_timeout_ms: null,
          create_response: true,
          interrupt_response: true,
        } as RealtimeTurnDetection,
      } as RealtimeConfig['audio']['input'],
      output: { format, voice: 'marin', speed: 1 },
    },
  };
}

/** What a provider finds wrong with a format. @param path where it stands */
export type FormatCheck = (format: RealtimeFormat, path: string) => RealtimeError | undefined;

/** Puts an update into a configuration: fields that it does not have stay. @param hasSpoken the voice cannot change any more */
export function mergeConfig(
  config: RealtimeConfig,
  update: FakeFields,
  { hasSpoken, formatError }: { hasSpoken: boolean; formatError: FormatCheck },
): { config: RealtimeConfig } | { error: RealtimeError } {
  const audio = (update.audio ?? {}) as { input?: FakeFields; output?: FakeFields };
  for (const [name, format] of [
    ['input', audio.input?.format],
    ['output', audio.output?.format],
  ] as const) {
    const error = format ? formatError(format as RealtimeFormat, `session.audio.${name}.format`) : undefined;
    if (error) return { error };
  }
  const voice = audio.output?.voice;
  if (voice !== undefined && voice !== config.audio.output.voice && hasSpoken) {
    const message = "Cannot update a conversation's voice if assistant audio is present.";
    return { error: { code: 'cannot_update_voice', message } };
  }
  if (update.model !== undefined && update.model !== config.model) {
    const message = 'The model of a session cannot be changed.';
    return { error: { code: 'invalid_value', message, param: 'session.model' } };
  }
  const merged = {
    ...config,
    ...update,
    audio: {
      input: { ...config.audio.input, ...audio.input },
      output: { ...config.audio.output, ...audio.output },
    },
  };
  return { config: merged as RealtimeConfig };
}

/** Of OpenAI's own: 16 bits at 24000 Hz, or mu-law without a rate. */
export const realtimeFormatError: FormatCheck = ({ type, rate }, path) => {
  const param = `${path}.rate`;
  if (type !== 'audio/pcm') {
    return rate === undefined
      ? undefined
      : { code: 'unknown_parameter', message: `Unknown parameter: '${param}'.`, param };
  }
  if (rate === undefined) {
    return { code: 'missing_required_parameter', message: `Missing required parameter: '${param}'.`, param };
  }
  return rate === 24_000
    ? undefined
    : { code: 'invalid_value', message: `Invalid value: '${rate}'. Supported values are: 24000.`, param };
};
