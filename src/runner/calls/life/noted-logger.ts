import { type LogFields, type Logger, withoutSecrets } from '../../../base/logger.js';
import { asCallId } from '../../../call/call-id.js';
import type { CallTimelines } from './call-timelines.js';

/** A logger that also notes what is written about a call in the call's timeline: by the field `callId`. */
export function notedLogger(logger: Logger, timelines: CallTimelines): Logger {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) => {
      logger[level](message, fields);
      const { callId, ...rest } = fields;
      if (typeof callId !== 'string') return;
      timelines.note(asCallId(callId), { type: 'log', level, message, fields: withoutSecrets(rest) });
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
