import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ScriptRequest } from '../../bot/services/llm/model-script.js';
import { replyTo } from '../../bot/services/llm/stand-in-model.js';
import type { StandInPart, StandInReply } from '../../bot/services/llm/stand-in-request.js';
import type { ModelMessage, ModelQuestion } from '../scenario/model-script.js';

/** Answers for the model of one call. @throws what the call is told, as the model's failure */
export type CallModel = (question: ModelQuestion) => StandInReply | undefined | Promise<StandInReply | undefined>;

/** Answers for the models of all calls of a test: by the script of each, else as the stand-in does. */
export class ScriptServer {
  readonly #secret = randomBytes(24).toString('base64url');
  readonly #scripts = new Map<string, { readonly script: CallModel; asked: number }>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptServer> {
    const server = createServer();
    const scripts = new ScriptServer(server);
    server.on('request', (request, response) => {
      const answer =
        request.url === scripts.#path ? scripts.#answer(request) : Promise.resolve({ status: 404, body: {} });
      answer
        .catch((error: Error) => ({ status: 422, body: { error: error.message } }))
        .then(({ status, body }) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return scripts;
  }

  /** Known only to the bots that are told. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.#path}`;
  }

  get #path(): string {
    return `/${this.#secret}`;
  }

  /** @param script undefined in what it gives: the stand-in answers */
  serve(callId: string, script: CallModel): void {
    this.#scripts.set(callId, { script, asked: 0 });
  }

  forget(callId: string): void {
    this.#scripts.delete(callId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const asked = (await json(request)) as ScriptRequest;
    const serving = this.#scripts.get(asked.callId);
    if (!serving) return { status: 200, body: replyTo(asked) };
    serving.asked += 1;
    const messages = asked.prompt.map(messageOf);
    const tools = (asked.tools ?? []).map(({ name }) => name);
    const reply = await serving.script({ messages, tools, no: serving.asked });
    return { status: 200, body: reply ?? replyTo(asked) };
  }
}

/** After an interruption a message of the caller begins with what the system says about that. */
const SYSTEM_LINE = /^<system>.*<\/system>\n/s;

function messageOf({ role, content }: ScriptRequest['prompt'][number]): ModelMessage {
  const parts: readonly StandInPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const names = parts.flatMap(({ toolName }) => toolName ?? []);
  const text = parts.map(role === 'tool' ? resultOf : ({ text = '' }) => text).join(' ');
  return {
    role: role as ModelMessage['role'],
    text: text.replace(SYSTEM_LINE, '').trim(),
    ...(names.length > 0 && { tools: names }),
  };
}

const resultOf = ({ output }: StandInPart) =>
  typeof output?.value === 'string' ? output.value : JSON.stringify(output?.value ?? null);
