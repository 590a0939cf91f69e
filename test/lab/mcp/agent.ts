import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';

export interface AgentAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: Record<string, unknown>;
}

/** A coding agent: the protocol's own client, with the real command as its server. */
export class Agent implements AsyncDisposable {
  readonly #client = new Client({ name: 'test', version: '1' });
  /** Lines of standard output that are none of the protocol, among others. */
  readonly errors: Error[] = [];
  readonly #transport: StdioClientTransport;

  private constructor(
    /** State directory of the command. */
    readonly home: string,
    args: readonly string[],
    environment: Record<string, string>,
  ) {
    const { PATH = '', HOME = '' } = process.env;
    this.#transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(PACKAGE_ROOT, 'bin/voicebot.js'), 'mcp', ...args],
      env: { PATH, HOME, VOICEBOT_HOME: home, ...environment },
      stderr: 'ignore',
    });
  }

  /** @param args of `voicebot mcp` */
  static async start(args: readonly string[], environment: Record<string, string> = {}): Promise<Agent> {
    const agent = new Agent(mkdtempSync(join(tmpdir(), 'voicebot-lab-')), args, environment);
    agent.#client.onerror = (error) => agent.errors.push(error);
    await agent.#client.connect(agent.#transport);
    return agent;
  }

  /** Of the command. */
  get pid(): number {
    return this.#transport.pid ?? 0;
  }

  async tools(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name);
  }

  async use(name: string, given: Record<string, unknown> = {}): Promise<AgentAnswer> {
    const { content, isError, structuredContent } = await this.#client.callTool({ name, arguments: given });
    const text = (content as Array<{ text: string }>).map((part) => part.text).join('\n');
    return { text, isError: isError === true, structured: (structuredContent ?? {}) as Record<string, unknown> };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}
