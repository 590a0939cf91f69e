import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Google's streaming answers on loopback, as far as `@ai-sdk/google` uses them: one text, and a call of a function. */
export class FakeGoogleModel implements AsyncDisposable {
  requests = 0;
  readonly #server = createServer((request, response) => {
    request.resume();
    this.requests += 1;
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const parts = [{ text: this.text }, { functionCall: { name: this.call, args: {} } }];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1;
      const candidate = { content: { role: 'model', parts: [part] }, ...(isLast && { finishReason: 'STOP' }) };
      response.write(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\n\n`);
    }
    response.end();
  });

  private constructor(
    private readonly text: string,
    private readonly call: string,
  ) {}

  static async start(text: string, call: string): Promise<FakeGoogleModel> {
    const fake = new FakeGoogleModel(text, call);
    await once(fake.#server.listen(0, '127.0.0.1'), 'listening');
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1beta`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
