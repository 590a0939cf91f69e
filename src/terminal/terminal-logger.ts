import type { LogFields, Logger } from '../base/logger.js';
import type { Output } from './output.js';

/** Shows warnings and errors as lines for people, or as `problem` events; the rest needs `--verbose`. */
export function terminalLogger(output: Output): Logger {
  const tell = (message: string, { callId, ...fields }: LogFields = {}) => {
    const details = Object.entries(fields)
      .filter(([name, value]) => !name.startsWith('pii.') && value !== undefined)
      .map(([name, value]) => `${name}: ${Object(value).message ?? value}`);
    output.warn(details.length > 0 ? `${message} (${details.join(', ')})` : message, {
      ...(typeof callId === 'string' && { callId }),
      error: fields.error,
    });
  };
  return {
    debug() {},
    info() {},
    warn: tell,
    error: tell,
  };
}
