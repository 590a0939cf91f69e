import { type DestinationStream, pino } from 'pino';
import { visibleJson } from './clean-text.js';

/** The lowest first; `silent` writes nothing. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
/** Plain data that a line of the log carries. */
export type LogFields = Record<string, unknown>;

/**
 * Short fixed messages with fields. Personal data (phone numbers, transcripts, digits) goes only into fields named
 * `pii.<name>`, which {@link createLogger} drops unless told otherwise.
 */
export interface Logger {
  /** For a person who looks for a fault; not written by default. */
  debug(message: string, fields?: LogFields): void;
  /** What a person who watches wants to know. */
  info(message: string, fields?: LogFields): void;
  /** Something failed and the work goes on. */
  warn(message: string, fields?: LogFields): void;
  /** Something failed and could not be done. */
  error(message: string, fields?: LogFields): void;
}

/** Field names whose values are never written, at the top level or one level down. */
const SECRET_FIELDS = [
  'token',
  'authToken',
  'auth_token',
  'apiKey',
  'daily_api_key',
  'secret',
  'authorization',
  'cookie',
];

/** What {@link createLogger} writes, and where. */
export interface LoggerOptions {
  /** Lowest level written. Default `info`. */
  level?: LogLevel;
  /** Write `pii.*` fields too. Default false. */
  pii?: boolean;
  /** Where newline-delimited JSON goes. Default standard error. */
  destination?: DestinationStream;
}

/** Creates a logger that writes newline-delimited JSON through pino. */
export function createLogger({ level = 'info', pii = false, destination }: LoggerOptions = {}): Logger {
  const target = destination ?? pino.destination({ dest: 2, sync: true });
  const sink = pino(
    {
      level,
      base: null,
      redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      serializers: { error: pino.stdSerializers.err },
    },
    { write: (line) => target.write(visibleJson(line)) },
  );
  return wrap(sink, pii);
}

/** The fields without those that are never written, at the top level; an error as its message. */
export function withoutSecrets(fields: LogFields): LogFields {
  const entries = Object.entries(fields).filter(([name]) => !SECRET_FIELDS.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value instanceof Error ? value.message : value]));
}

function wrap(sink: import('pino').Logger, pii: boolean): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) =>
    sink[level](withoutPii(fields, pii), message);
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

function withoutPii(fields: LogFields = {}, pii: boolean): LogFields {
  if (pii) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('pii.')));
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
