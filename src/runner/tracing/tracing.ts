import { settlesWithin } from '../../base/async/deadline.js';
import { importOptionalPackage } from '../../base/optional-package.js';
import { CallTracer, type OpenTelemetry, type TracedCall } from './call-tracer.js';

/** Where the package `@opentelemetry/api` keeps what was registered with it, so that several copies of it find each other. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
/** Which instrumentations of models and agents show texts, by common agreement. */
const CONTENT_VARIABLE = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
/** Longest wait for the receiver of the spans, in milliseconds. */
const SEND_LIMIT_MS = 1_500;

/** A provider of spans as SDKs have it, behind the one that the package itself registers. */
interface SpanProvider {
  getDelegate?(): SpanProvider;
  forceFlush?(): Promise<void>;
}

/** OpenTelemetry, as a bot file has set it up. */
export class Tracing {
  /** Undefined when the bot file has set up no SDK for traces: nothing is loaded then. Never rejects: calls do without traces. */
  static async load(): Promise<Tracing | undefined> {
    const { trace } = (globalThis as { [REGISTERED]?: { trace?: unknown } })[REGISTERED] ?? {};
    if (!trace) return undefined;
    try {
      const api = (await importOptionalPackage('@opentelemetry/api', '@opentelemetry/sdk-node')) as OpenTelemetry;
      return new Tracing(api, /^(true|span_only|span_and_event)$/i.test(process.env[CONTENT_VARIABLE] ?? ''));
    } catch (error) {
      console.error(`no traces, because @opentelemetry/api cannot be loaded: npm install @opentelemetry/api\n${error}`);
      return undefined;
    }
  }

  /** @param showsContent whether spans may show what is said, what functions are given and return, and phone numbers */
  constructor(
    private readonly api: OpenTelemetry,
    private readonly showsContent: boolean,
  ) {}

  /** A call begins. @returns undefined when the SDK takes no spans */
  /** @param mayShow false: spans of the call show nothing of its content */
  begin({ mayShow = true, ...call }: Omit<TracedCall, 'showsContent'> & { mayShow?: boolean }): CallTracer | undefined {
    return CallTracer.begin(this.api, { ...call, showsContent: this.showsContent && mayShow });
  }

  /** Has the SDK send the spans that it holds back. Never rejects, and does not wait for long. */
  async send(): Promise<void> {
    const registered = this.api.trace.getTracerProvider() as SpanProvider;
    const provider = registered.getDelegate?.() ?? registered;
    const sent = new Promise((resolve) => resolve(provider.forceFlush?.()));
    await settlesWithin(sent, SEND_LIMIT_MS);
  }
}
