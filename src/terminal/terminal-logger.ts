import { createLogger, type LogFields, type Logger } from '../base/logger.js';
import type { EntryLevel } from './log-entry.js';
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

/** What a run writes. @param isVerbose all of it, also what is for a person who looks for a fault */
export function runLogger(output: Output, isVerbose: boolean): Logger {
  if (output.logsJson) return entryLogger(output, isVerbose);
  return isVerbose ? createLogger({ level: 'debug' }) : terminalLogger(output);
}

/** The entries as the log of a run has them: for programs. */
function entryLogger(output: Output, isVerbose: boolean): Logger {
  const write = (level: EntryLevel) => (message: string, fields?: LogFields) => output.log(level, message, fields);
  const never = () => {};
  return {
    debug: isVerbose ? write('debug') : never,
    info: isVerbose ? write('info') : never,
    warn: write('warn'),
    error: write('error'),
  };
}
