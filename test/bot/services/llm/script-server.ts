import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SCRIPT_URL_VARIABLE, type ScriptRequest } from '../../../../src/bot/services/llm/model-script.js';
import type { StandInReply } from '../../../../src/bot/services/llm/stand-in-request.js';
import { until } from './llm-rig.js';

/** What a script answers to a request: a reply, a refusal or any other text, or nothing. */
export type ScriptAnswer = StandInReply | { readonly status: number; readonly body: string } | 'never';

/** A script that answers for models, at the address where bots of this process ask it. */
export class ScriptServer implements AsyncDisposable {
  readonly asked: ScriptRequest[] = [];
  aborted = 0;
  readonly #server = createServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) this.aborted += 1;
    });
    this.asked.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    const answer = this.answers.shift() ?? {};
    if (answer === 'never') return;
    const { status, body } = 'status' in answer ? answer : { status: 200, body: JSON.stringify(answer) };
    // kept open, the connection would leave a timer on a test's clock
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
  });

  static async start(...answers: ScriptAnswer[]): Promise<ScriptServer> {
    const script = new ScriptServer(answers);
    await once(script.#server.listen(0, '127.0.0.1'), 'listening');
    process.env[SCRIPT_URL_VARIABLE] = `http://127.0.0.1:${(script.#server.address() as AddressInfo).port}/model`;
    return script;
  }

  private constructor(private readonly answers: ScriptAnswer[]) {}

  /** Resolves when it has been asked so often. */
  isAsked(times: number): Promise<void> {
    return until(() => this.asked.length >= times);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
