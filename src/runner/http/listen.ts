import { once } from 'node:events';
import type { Server } from 'node:http';
import { VoicebotError } from '../../errors.js';

/** @throws VoicebotError VB_PORT_IN_USE, and what the system says of the address */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    throw new VoicebotError('VB_PORT_IN_USE', `${host}:${port}`, {
      hint: 'stop the other program or choose another port with --port',
      cause: error,
    });
  }
}
