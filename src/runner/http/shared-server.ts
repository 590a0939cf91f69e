import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createRunnerServer, localUrlOf, type RunnerServer } from './listen.js';
import { refuseUpgrade } from './refuse-upgrade.js';

/** Where an application tells its own server of what has come. */
const COMING = ['request', 'upgrade'];
/** Listeners that do nothing but refuse: an application may have several runners. */
const REFUSING = new WeakSet<object>();

/**
 * A part of the server of an application: what comes to addresses below `path` is for a runner, and the application does not see it. So
 * neither its body parsers nor its other WebSockets touch what a provider has signed, whichever of them was there first.
 * @param theirs listens on a port
 * @param path begins with a slash, and does not end with one
 */
export function sharedServer(theirs: Server, path: string): RunnerServer {
  const server = createRunnerServer(); // never listens
  /** What is being answered, or is a stream of the runner. */
  const answers = new Set<ServerResponse | Duplex>();
  const emit: (this: Server, event: string, ...told: unknown[]) => boolean = theirs.emit;
  let isOpen = false;
  const address = () => theirs.address() as AddressInfo;

  function pass(event: string, request: IncomingMessage, answer: ServerResponse | Duplex, head: unknown): void {
    const target = (request.url ?? '').slice(path.length);
    if (event === 'request' && !target.startsWith('/')) {
      (answer as ServerResponse).writeHead(308, { location: `${path}/${target}` }).end();
      return;
    }
    answers.add(answer);
    answer.once('close', () => answers.delete(answer));
    request.url = target;
    server.emit(event, request, answer, head);
  }

  function divide(this: Server, event: string, ...told: unknown[]): boolean {
    const [request, answer, head] = told as [IncomingMessage, ServerResponse | Duplex, unknown];
    if (!isOpen || !COMING.includes(event) || !isBelow(path, request)) return emit.call(this, event, ...told);
    pass(event, request, answer, head);
    return true;
  }

  /** Node tells of upgrades only where it is listened for them; those of no one else have an answer all the same. */
  function refuse(_request: IncomingMessage, stream: Duplex): void {
    const all = theirs.listeners('upgrade');
    if (all[0] !== refuse || !all.every((one) => REFUSING.has(one))) return;
    stream.on('error', () => {});
    refuseUpgrade(stream, '404 Not Found');
  }
  REFUSING.add(refuse);

  return {
    server,
    get url() {
      return localUrlOf(address()) + path;
    },
    get port() {
      return address().port;
    },
    async open() {
      isOpen = true;
      theirs.emit = divide;
      theirs.on('upgrade', refuse);
    },
    close() {
      isOpen = false;
      if (theirs.emit === divide) theirs.emit = emit;
      theirs.off('upgrade', refuse);
      for (const answer of answers) answer.destroy();
    },
  };
}

function isBelow(path: string, { url = '' }: IncomingMessage): boolean {
  return url === path || url.startsWith(`${path}/`) || url.startsWith(`${path}?`);
}
