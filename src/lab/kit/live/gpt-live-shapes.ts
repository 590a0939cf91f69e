import type { FieldShapes } from './check-fields.js';

const event = (fields: FieldShapes = {}): FieldShapes => ({ type: 'string', 'event_id?!': 'string', ...fields });
const append = event({ content: 'string', 'delegation_id!': 'string' });

/** Every event that a client may send with client delegation, and its fields. */
export const GPT_LIVE_EVENTS: Readonly<Record<string, FieldShapes>> = {
  'session.start': event({
    session: {
      model: 'string',
      'instructions?!': 'string',
      'audio?': {
        'format?': { type: ['audio/pcm', 'audio/pcmu'], rate: 'integer' },
        'output?': { 'voice?': 'any' },
      },
      'delegation?!': { type: ['client'], 'acknowledgement_delay_ms?': 'integer' },
      'input?': 'array',
      'safety_identifier?!': 'string',
      'store?': 'boolean',
      'triggers?': 'array',
    },
  }),
  'session.close': event(),
  'session.input_audio.append': event({ audio: 'string' }),
  'session.input_audio.mute': event(),
  'session.input_audio.unmute': event(),
  'session.instructions.append': append,
  'session.thinking.append': append,
  'session.commentary.append': append,
};

/** The rates of each format, in hertz. */
export const GPT_LIVE_RATES: Readonly<Record<string, readonly number[]>> = {
  'audio/pcm': [16_000, 24_000],
  'audio/pcmu': [8_000],
};
