import { LoopbackTunnel } from './loopback-tunnel.js';
import type { RunnerOnSandbox } from './runner-on-sandbox.js';

/** The tunnel by which the sandbox's carrier comes to a runner. */
export class TunnelToRunner implements AsyncDisposable {
  /** @param port where it leads */
  static async open(to: RunnerOnSandbox, port = to.runner.port): Promise<TunnelToRunner> {
    const opened = new TunnelToRunner(to, await LoopbackTunnel.open(port));
    await opened.#register();
    return opened;
  }

  private constructor(
    private readonly to: RunnerOnSandbox,
    private readonly tunnel: LoopbackTunnel,
  ) {}

  /** The tunnel is gone; its loss is told at once, or not at all. */
  async breakDown({ isTold = true } = {}): Promise<void> {
    await this.tunnel.breakDown();
    if (isTold) this.to.runner.reach.lost();
  }

  async comeBack(as: 'moved' | 'same' = 'moved'): Promise<void> {
    await this.tunnel.comeBack(as);
    await this.#register();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.tunnel[Symbol.asyncDispose]();
  }

  /** What whoever looks after the tunnel does when it is there, at first and again. */
  async #register(): Promise<void> {
    this.to.runner.reach.back(this.tunnel.url);
    await this.to.register();
  }
}
