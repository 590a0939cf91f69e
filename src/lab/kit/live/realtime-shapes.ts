import type { FieldFault, FieldShapes } from './check-fields.js';

const FORMAT = { type: ['audio/pcm', 'audio/pcmu'], 'rate?': 'integer' } as const;

const TURN_DETECTION = {
  type: ['server_vad', 'semantic_vad'],
  'create_response?': 'boolean',
  'interrupt_response?': 'boolean',
  'threshold?': 'number',
  'prefix_padding_ms?': 'integer',
  'silence_duration_ms?': 'integer',
  'idle_timeout_ms?!': 'integer',
  'eagerness?': ['low', 'medium', 'high', 'auto'],
} as const;

const TRANSCRIPTION = {
  'model?': 'string',
  'language?': 'string',
  'languages?': 'array',
  'prompt?': 'string',
  'keywords?': 'array',
  'delay?': ['minimal', 'low', 'medium', 'high', 'xhigh'],
} as const;

const OUTPUT_AUDIO = { 'format?': FORMAT, 'voice?': 'any', 'speed?': 'number' } as const;

const SESSION: FieldShapes = {
  type: ['realtime'],
  'model?': 'string',
  'instructions?': 'string',
  'output_modalities?': 'array',
  'audio?': {
    'input?': {
      'format?': FORMAT,
      'noise_reduction?!': 'object',
      'transcription?!': TRANSCRIPTION,
      'turn_detection?!': TURN_DETECTION,
    },
    'output?': OUTPUT_AUDIO,
  },
  'tools?': 'array',
  'tool_choice?': 'any',
  'include?!': 'array',
  'max_output_tokens?': 'any',
  'parallel_tool_calls?': 'boolean',
  'prompt?!': 'object',
  'reasoning?': 'object',
  'tracing?!': 'any',
  'truncation?': 'any',
};

const RESPONSE: FieldShapes = {
  'audio?': { 'output?': OUTPUT_AUDIO },
  'conversation?': ['auto', 'none'],
  'input?': 'array',
  'instructions?': 'string',
  'max_output_tokens?': 'any',
  'metadata?!': 'object',
  'output_modalities?': 'array',
  'parallel_tool_calls?': 'boolean',
  'prompt?!': 'object',
  'reasoning?': 'object',
  'tool_choice?': 'any',
  'tools?': 'array',
};

const event = (fields: FieldShapes = {}): FieldShapes => ({ type: 'string', 'event_id?': 'string', ...fields });

/** Every event that a client may send, and its fields. */
export const REALTIME_EVENTS: Readonly<Record<string, FieldShapes>> = {
  'session.update': event({ session: SESSION }),
  'input_audio_buffer.append': event({ audio: 'string' }),
  'input_audio_buffer.commit': event(),
  'input_audio_buffer.clear': event(),
  'conversation.item.create': event({ item: 'object', 'previous_item_id?!': 'string' }),
  'conversation.item.truncate': event({ item_id: 'string', content_index: 'integer', audio_end_ms: 'integer' }),
  'conversation.item.delete': event({ item_id: 'string' }),
  'conversation.item.retrieve': event({ item_id: 'string' }),
  'response.create': event({ 'response?!': RESPONSE }),
  'response.cancel': event({ 'response_id?': 'string' }),
};

const ITEM = { 'id?': 'string', 'object?': 'string', 'status?': 'string' } as const;

/** The items that a client may put into the conversation. */
export const REALTIME_ITEMS: Readonly<Record<string, FieldShapes>> = {
  message: { ...ITEM, type: 'string', role: ['user', 'assistant', 'system'], content: 'array' },
  function_call: { ...ITEM, type: 'string', 'call_id?': 'string', name: 'string', arguments: 'string' },
  function_call_output: { ...ITEM, type: 'string', call_id: 'string', output: 'string' },
};

/** What a message of each role may be made of. */
export const REALTIME_CONTENT: Readonly<Record<string, readonly string[]>> = {
  user: ['input_text', 'input_audio', 'input_image'],
  assistant: ['output_text', 'output_audio'],
  system: ['input_text'],
};

/** The provider's words for what is wrong with an event. */
export function realtimeError({ reason, path, found, wanted }: FieldFault): RealtimeError {
  switch (reason) {
    case 'unknown':
      return { code: 'unknown_parameter', message: `Unknown parameter: '${path}'.`, param: path };
    case 'missing':
      return { code: 'missing_required_parameter', message: `Missing required parameter: '${path}'.`, param: path };
    case 'type': {
      const message = `Invalid type for '${path}': expected ${article(wanted[0])}, but got ${article(kindOf(found))} instead.`;
      return { code: 'invalid_type', message, param: path };
    }
    case 'value': {
      const words = wanted.map((word) => `'${word}'`);
      const list = words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`;
      return {
        code: 'invalid_value',
        message: `Invalid value: '${String(found)}'. Supported values are: ${list}.`,
        param: path,
      };
    }
  }
}

/** What an `error` says. */
export interface RealtimeError {
  readonly type?: string;
  readonly code: string;
  readonly message: string;
  readonly param?: string;
}

const article = (kind = 'value') => `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;

function kindOf(found: unknown): string {
  if (found === null) return 'null';
  if (Array.isArray(found)) return 'array';
  return Number.isInteger(found) ? 'integer' : typeof found;
}
