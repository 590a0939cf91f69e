import { spawn } from 'node:child_process';

/** Starts a program that would run for ever, and ends at once. */
export async function bot({ websocket, call }) {
  const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  websocket.send(JSON.stringify({ event: 'hello', pid: process.pid, program: pid, call }));
}
