import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AUTH_ID, AUTH_TOKEN, PHONE_TOKEN } from './fake-caller.js';

const MAIN = fileURLToPath(new URL('../../dist/sandbox/main.js', import.meta.url));

/** Starts the sandbox as a process of its own. */
// biome-ignore lint/suspicious/noExplicitAny: the reply is checked by the tests that read it
export async function start(options: object): Promise<{ child: ChildProcess; reply: any }> {
  const child = fork(MAIN, { execArgv: [] });
  child.send({
    type: 'start',
    options: { authId: AUTH_ID, authToken: AUTH_TOKEN, phoneToken: PHONE_TOKEN, ...options },
  });
  const [reply] = await once(child, 'message');
  return { child, reply };
}
