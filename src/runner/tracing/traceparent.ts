import type { SpanContext } from '@opentelemetry/api';

const FORMAT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Whether it names a span of another program, as the W3C's recommendation Trace Context says. A receiver has to pass over any other text. */
export const isTraceparent = (text: unknown): text is string => typeof text === 'string' && FORMAT.test(text);

/** The span that it names; undefined when it names none. */
export function spanContextOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags = ''] = FORMAT.exec(traceparent) ?? [];
  if (!traceId || !spanId) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
