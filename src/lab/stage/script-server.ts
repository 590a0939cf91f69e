import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { errorText } from '../../base/error-text.js';
import type { ScriptRequest } from '../../bot/services/llm/model-script.js';
import type { FunctionRequest, PlayedFunction } from '../../bot/services/llm/played-function.js';
import { replyTo } from '../../bot/services/llm/stand-in-model.js';
import type { StandInPart, StandInReply } from '../../bot/services/llm/stand-in-request.js';
import type { FliteOrder } from '../../bot/services/tts/flite-worker.js';
import type { ModelMessage, ModelQuestion } from '../scenario/model-script.js';
import { resultText } from '../scenario/spoken-result.js';
import { SaidSentences } from './said-sentences.js';

/** Answers for the model of one call. @throws what the call is told, as the model's failure */
export type CallModel = (question: ModelQuestion) => StandInReply | undefined | Promise<StandInReply | undefined>;

/** Plays the functions of one call. @returns undefined: the bot's own function runs */
export type CallFunctions = (request: Pick<FunctionRequest, 'name' | 'input'>) => PlayedFunction | undefined;

export interface ScriptServerOptions {
  /** Whether {@link ScriptServer.play} is told of every call: a function of another one fails, and does not run. Default false. */
  readonly knowsAllCalls?: boolean;
}

/** A call that is served; `before`: the conversation before its last question. */
interface Served {
  readonly script: CallModel;
  asked: number;
  before?: string;
}

/** Where the same server says what its bots say in flite's voices. @param scriptUrl its {@link ScriptServer.url} */
export const speechUrlOf = (scriptUrl: string): string => `${scriptUrl}/speech`;

/** Where the same server plays functions. @param scriptUrl its {@link ScriptServer.url} */
export const functionsUrlOf = (scriptUrl: string): string => `${scriptUrl}/functions`;

/**
 * Answers for the models of all calls of a test: by the script of each, else as the stand-in does. Beside it, at
 * {@link functionsUrlOf}, plays functions, whatever serves as the model, and at {@link speechUrlOf} speaks for bots.
 */
export class ScriptServer {
  readonly #secret = randomBytes(24).toString('base64url');
  readonly #scripts = new Map<string, Served>();
  readonly #functions = new Map<string, CallFunctions>();
  readonly #speech = new SaidSentences();

  private constructor(
    private readonly server: Server,
    private readonly options: ScriptServerOptions,
  ) {}

  static async start(options: ScriptServerOptions = {}): Promise<ScriptServer> {
    const server = createServer();
    server.keepAliveTimeout = 0; // a bot must not ask over a connection that is just being closed
    const scripts = new ScriptServer(server, options);
    server.on('request', (request, response) => {
      scripts
        .#take(request)
        .then(({ status, body }) => ({ status, body: body instanceof Uint8Array ? body : JSON.stringify(body) }))
        .catch((error: unknown) => ({ status: 422, body: JSON.stringify({ error: errorText(error) }) }))
        .then(({ status, body }) => {
          const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
          response.writeHead(status, { 'content-type': type }).end(body);
        });
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

  /** Plays functions of a call, until it is forgotten. */
  play(callId: string, functions: CallFunctions): void {
    this.#functions.set(callId, functions);
  }

  forget(callId: string): void {
    this.#scripts.delete(callId);
    this.#functions.delete(callId);
  }

  /** Gets ready to speak for bots. Never rejects. */
  loadVoice(): Promise<void> {
    return this.#speech.load();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #take(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    if (request.url === this.#path) return this.#answer(request);
    if (request.url === functionsUrlOf(this.#path)) return this.#play(request);
    return request.url === speechUrlOf(this.#path) ? this.#speak(request) : { status: 404, body: {} };
  }

  async #play(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const { callId, name, input } = (await json(request)) as FunctionRequest;
    const functions = this.#functions.get(callId);
    if (!functions && this.options.knowsAllCalls) throw new Error('no call of that identifier goes on');
    return { status: 200, body: functions?.({ name, input }) ?? {} };
  }

  async #speak(request: IncomingMessage): Promise<{ status: number; body: Uint8Array }> {
    const pcm = await this.#speech.say((await json(request)) as FliteOrder);
    return { status: 200, body: new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength) };
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const asked = (await json(request)) as ScriptRequest;
    const serving = this.#scripts.get(asked.callId);
    if (!serving) return { status: 200, body: replyTo(asked) };
    const messages = asked.prompt.map(messageOf);
    const before = JSON.stringify(messages.slice(0, -1));
    const replaces = before === serving.before;
    serving.before = before;
    if (!replaces) serving.asked += 1;
    const tools = (asked.tools ?? []).map(({ name }) => name);
    const reply = await serving.script({ messages, tools, no: serving.asked, replaces });
    return { status: 200, body: reply ?? replyTo(asked) };
  }
}

/** After an interruption a message of the caller begins with what the system says about that. */
const SYSTEM_LINE = /^<system>.*<\/system>\n/s;

function messageOf({ role, content }: ScriptRequest['prompt'][number]): ModelMessage {
  const parts: readonly StandInPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const names = parts.flatMap(({ toolName }) => toolName ?? []);
  const results = parts.map(({ toolName = '', output }) => ({ name: toolName, value: output?.value ?? null }));
  const text = role === 'tool' ? results.map(({ value }) => resultText(value)) : parts.map(({ text = '' }) => text);
  return {
    role: role as ModelMessage['role'],
    text: text.join(' ').replace(SYSTEM_LINE, '').trim(),
    ...(names.length > 0 && { tools: names }),
    ...(role === 'tool' && { results }),
  };
}
