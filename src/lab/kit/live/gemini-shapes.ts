import type { FieldFault, FieldShapes } from './check-fields.js';

const CONTENT = { 'role?': 'string', 'parts?': 'array' } as const;
const BLOB = { 'data?': 'string', 'mimeType?': 'string' } as const;
const TRANSCRIPTION = { 'languageHints?': 'object', 'languageCodes?': 'array', 'adaptationPhrases?': 'array' } as const;

/** Every message that a client may send, and its fields; one of them in each message. */
export const GEMINI_MESSAGES: FieldShapes = {
  'setup?': {
    model: 'string',
    'generationConfig?': {
      'responseModalities?': 'array',
      'speechConfig?': 'object',
      'temperature?': 'number',
      'topP?': 'number',
      'topK?': 'number',
      'maxOutputTokens?': 'integer',
      'mediaResolution?': 'string',
      'thinkingConfig?': 'object',
      'enableAffectiveDialog?': 'boolean',
      'translationConfig?': 'object',
      'seed?': 'integer',
    },
    'systemInstruction?': CONTENT,
    'tools?': 'array',
    'realtimeInputConfig?': {
      'automaticActivityDetection?': {
        'disabled?': 'boolean',
        'startOfSpeechSensitivity?': 'string',
        'endOfSpeechSensitivity?': 'string',
        'prefixPaddingMs?': 'integer',
        'silenceDurationMs?': 'integer',
      },
      'activityHandling?': ['ACTIVITY_HANDLING_UNSPECIFIED', 'START_OF_ACTIVITY_INTERRUPTS', 'NO_INTERRUPTION'],
      'turnCoverage?': 'string',
    },
    'sessionResumption?': { 'handle?': 'string', 'transparent?': 'boolean' },
    'contextWindowCompression?': { 'triggerTokens?': 'any', 'slidingWindow?': 'object' },
    'inputAudioTranscription?': TRANSCRIPTION,
    'outputAudioTranscription?': TRANSCRIPTION,
    'proactivity?': 'object',
    'historyConfig?': { 'initialHistoryInClientContent?': 'boolean' },
  },
  'realtimeInput?': {
    'audio?': BLOB,
    'audioStreamEnd?': 'boolean',
    'video?': BLOB,
    'text?': 'string',
    'activityStart?': {},
    'activityEnd?': {},
  },
  'clientContent?': { 'turns?': 'array', 'turnComplete?': 'boolean' },
  'toolResponse?': { functionResponses: 'array' },
};

/** Why the server closes the socket, in its words. */
export function geminiFault({ reason, path, found }: FieldFault): string {
  const at = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
  const name = path.slice(path.lastIndexOf('.') + 1);
  const where = at ? ` at '${at}'` : '';
  if (reason === 'unknown') return `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`;
  if (reason === 'missing') return `Request contains an invalid argument: ${path} is required.`;
  return `Invalid value at '${path}', ${JSON.stringify(found)}`.slice(0, 120);
}
