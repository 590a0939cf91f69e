import { once } from 'node:events';
import { connect } from 'node:net';
import { startSandbox } from '../../src/sandbox/sandbox.js';
import { AUTH_ID, AUTH_TOKEN, PHONE_TOKEN } from './fake-caller.js';
import { start } from './sandbox-main.js';

test('says why it cannot start', async () => {
  await using other = await startSandbox({ authId: AUTH_ID, authToken: AUTH_TOKEN, phoneToken: PHONE_TOKEN });
  const { child, reply } = await start({ port: Number(new URL(other.url).port) });
  expect(reply).toMatchObject({ type: 'failed', code: 'VB_PORT_IN_USE' });
  expect(await once(child, 'exit')).toEqual([1, null]);
});

test('exits at once when its parent is gone and nobody calls', async () => {
  const { child, reply } = await start({});
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([0, null]);
  const socket = connect(Number(new URL(reply.url).port), '127.0.0.1');
  const [error] = await once(socket, 'error').catch((reason) => [reason]);
  expect(error.code).toBe('ECONNREFUSED');
});
