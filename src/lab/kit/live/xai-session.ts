import { type FieldShapes, faultOf } from './check-fields.js';
import type { FakeFields } from './fake-live-session.js';
import type { FormatCheck } from './realtime-config.js';
import { RealtimeSession } from './realtime-session.js';
import { REALTIME_EVENTS, type RealtimeError, realtimeError } from './realtime-shapes.js';

const RATES = [8_000, 16_000, 21_050, 24_000, 32_000, 44_100, 48_000];

const FORMAT = { 'format?': { type: ['audio/pcm', 'audio/pcmu'], 'rate?': 'integer' } } as const;

const SESSION: FieldShapes = {
  'instructions?': 'string',
  'voice?': 'string',
  'audio?': { 'input?': FORMAT, 'output?': FORMAT },
  'turn_detection?!': {
    type: ['server_vad'],
    'threshold?': 'number',
    'silence_duration_ms?': 'integer',
    'prefix_padding_ms?': 'integer',
  },
  'tools?': 'array',
};

/** One session on xAI's wire: OpenAI's, with another configuration, and no way to take back what was said. */
export class XaiSession extends RealtimeSession {
  /** @internal */
  protected override readonly formatError: FormatCheck = ({ type, rate }, path) => {
    const rates = type === 'audio/pcm' ? RATES : [8_000];
    if (rate === undefined || rates.includes(rate)) return undefined;
    return realtimeError({ reason: 'value', path: `${path}.rate`, found: rate, wanted: rates.map(String) });
  };

  override open(): void {
    this.tell('conversation.created', { conversation: { id: `conv_${this.id}`, object: 'realtime.conversation' } });
    super.open();
  }

  override send(message: string | FakeFields): void {
    if (typeof message === 'string') super.send(message);
    else super.send({ ...message, type: String(message.type).replace('response.output_text.', 'response.text.') });
  }

  /** @internal */
  protected override errorOf(fields: FakeFields): RealtimeError | undefined {
    if (fields.type === 'conversation.item.truncate') {
      const wanted = Object.keys(REALTIME_EVENTS).filter((type) => type !== fields.type);
      return realtimeError({ reason: 'value', path: 'type', found: fields.type, wanted });
    }
    if (fields.type === 'session.update') {
      const shapes = { ...(REALTIME_EVENTS['session.update'] as FieldShapes), session: SESSION };
      const fault = faultOf(fields, shapes);
      return fault && realtimeError(fault);
    }
    if (fields.type === 'response.create' && fields.response) {
      const { modalities, ...response } = fields.response as FakeFields;
      return super.errorOf({ ...fields, response });
    }
    return super.errorOf(fields);
  }

  /** @internal */
  protected override obey(fields: FakeFields): RealtimeError | undefined {
    if (fields.type !== 'session.update') return super.obey(fields);
    const { voice, turn_detection, audio = {}, ...session } = fields.session as FakeFields;
    const { input, output } = audio as { input?: FakeFields; output?: FakeFields };
    return super.obey({
      ...fields,
      session: {
        ...session,
        audio: {
          input: { ...input, transcription: {}, ...(turn_detection === undefined ? {} : { turn_detection }) },
          output: { ...output, ...(voice === undefined ? {} : { voice }) },
        },
      },
    });
  }
}
