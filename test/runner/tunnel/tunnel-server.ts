import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ENTRY = fileURLToPath(new URL('tunnel-server-main.ts', import.meta.url));

export interface TunnelServerOptions {
  /** 0 lets the system choose. */
  port?: number;
  /** What its names end in; `localhost` or a name below it. Default `localhost`. */
  baseName?: string;
}

/**
 * localtunnel's own server on this machine, in a process of its own. It gives out names such as
 * `http://brave-owl-12.localhost:<port>`. Start another on the same port for one that comes back under another name.
 */
export class TunnelServer implements AsyncDisposable {
  static async start({ port = 0, baseName = 'localhost' }: TunnelServerOptions = {}): Promise<TunnelServer> {
    const child = fork(await program(), [String(port), baseName], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const [chosen] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the tunnel server did not start'))),
    ]);
    return new TunnelServer(child, chosen as number);
  }

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  /** What `VOICEBOT_TUNNEL_SERVER` is set to. */
  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** From now on it says nothing any more, and its connections stay. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  /** Kills it, with every connection. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

let built: Promise<string> | undefined;

/** The server as one file: it is written for a loader of modules that this Node does not run. */
function program(): Promise<string> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-tunnel-server-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const outfile = join(directory, 'server.mjs');
  // Some of its packages still `require`; the pages that lie beside it are left behind, as they hide its answers.
  const banner =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const __dirname = import.meta.dirname;";
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'error',
  });
  return outfile;
}
