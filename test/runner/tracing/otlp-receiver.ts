import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../e2e/processes.js';
import { type SeenSpan, SpanTree } from './span-tree.js';

interface OtlpValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: ReadonlyArray<{ readonly key: string; readonly value: OtlpValue }>;
  readonly events?: ReadonlyArray<{ readonly name: string }>;
  readonly status?: { readonly code?: number };
}

interface OtlpTraces {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly OtlpSpan[] }>;
  }>;
}

/** A collector that takes spans as OTLP over HTTP in JSON (opentelemetry.io/docs/specs/otlp), and keeps them. */
export class OtlpReceiver implements AsyncDisposable {
  readonly #spans: SeenSpan[] = [];
  /** Everything received, as it came. */
  received = '';

  /** @param isDeaf it answers nobody */
  static async start(isDeaf = false): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      if (isDeaf) return;
      if (request.method === 'POST' && request.url === '/v1/traces') receiver.#take(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  private constructor(private readonly server: Server) {}

  /** What a bot is to have in its environment. */
  get environment(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  }

  get tree(): SpanTree {
    return new SpanTree(this.#spans);
  }

  /** Resolves when so many calls are over for their bots. */
  async calls(count: number, limitMs = 10_000): Promise<SpanTree> {
    await until(() => this.tree.all('voicebot.call').length >= count, `${count} calls`, limitMs);
    return this.tree;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  #take(body: string): void {
    this.received += body;
    const { resourceSpans } = JSON.parse(body) as OtlpTraces;
    this.#spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(seen))));
  }
}

const seen = (span: OtlpSpan): SeenSpan => ({
  name: span.name,
  id: span.spanId,
  traceId: span.traceId,
  parentId: span.parentSpanId || undefined,
  kind: span.kind,
  attributes: Object.fromEntries((span.attributes ?? []).map(({ key, value }) => [key, plain(value)])),
  events: (span.events ?? []).map(({ name }) => name),
  startedAt: Number(span.startTimeUnixNano) / 1e6,
  endedAt: Number(span.endTimeUnixNano) / 1e6,
  isError: span.status?.code === 2,
});

function plain({ intValue, arrayValue, ...value }: OtlpValue): unknown {
  if (arrayValue) return arrayValue.values.map(plain);
  return intValue === undefined ? Object.values(value)[0] : Number(intValue);
}
