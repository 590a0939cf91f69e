import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from './compile.js';
import type { Answers } from './processes/questions.js';

/** One process of the bench; answers one question at a time. */
export class BenchProcess<Questions extends Answers> implements AsyncDisposable {
  readonly #child: ChildProcess;

  /** @param path of its file in `bench`, without the extension */
  constructor(path: string, ...args: string[]) {
    this.#child = fork(compiled(`bench/${path}`), args, {
      execArgv: [], // not the loader this process itself was started with
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ask<Name extends keyof Questions & string>(
    question: Name,
    ...args: Parameters<Questions[Name]>
  ): Promise<Awaited<ReturnType<Questions[Name]>>> {
    const settled = new AbortController();
    const { signal } = settled;
    const exited = once(this.#child, 'exit', { signal }).then(([code]) => {
      throw new Error(`a process of the bench ended with ${code} when asked to ${question}`);
    });
    this.#child.send({ question, args });
    const [{ answer, error }] = await Promise.race([once(this.#child, 'message', { signal }), exited]);
    exited.catch(() => {});
    settled.abort();
    if (error !== undefined) throw new Error(error);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
