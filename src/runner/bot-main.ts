/** Entry of a bot's process: loads the bot file once, then serves the calls whose sockets the runner hands over. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { BotFunction } from '../call/runner-arguments.js';
import { BotHost } from './bot-host.js';
import type { MessageFromBot, MessageToBot } from './bot-messages.js';

const HEARTBEAT_EVERY_MS = 1_000;

let host: BotHost | undefined;

// The runner may die while a call goes on: its channel and its pipes are then gone, the call is not.
const send = (message: MessageFromBot) => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
// The terminal's Ctrl-C reaches the whole foreground group; the runner decides what it means for calls.
process.on('SIGINT', () => {});

process.on('message', (message: MessageToBot, socket?: Socket) => {
  if (message.type === 'load') void load(message.botFile, message.environment);
  else if (message.type === 'serve') host?.serve(message, socket);
  else if (message.type === 'call_over') host?.callOver(message.callId);
  else if (message.type === 'abandon') host?.abandon(message.callId);
  else if (message.type === 'stop') host?.stop();
  else if (message.type === 'exit') process.exit();
});

process.on('disconnect', () => {
  if (!host || host.callCount === 0) process.exit();
});

async function load(botFile: string, environment: Record<string, string>): Promise<void> {
  Object.assign(process.env, environment);
  try {
    const bot = await importBot(botFile);
    host = new BotHost(bot, (message) => {
      send(message);
      if (message.type === 'call_done' && !process.connected && host?.callCount === 0) process.exit();
    });
    setInterval(() => send({ type: 'heartbeat' }), HEARTBEAT_EVERY_MS).unref();
    send({ type: 'ready' });
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    send({ type: 'load_failed', message: cause.message, stack: describe(cause, botFile) });
  }
}

async function importBot(botFile: string): Promise<BotFunction> {
  if (!existsSync(botFile)) throw new Error('there is no such file');
  const url = pathToFileURL(botFile).href;
  const isTypeScript = /\.[mc]?tsx?$/.test(botFile);
  const module: { bot?: unknown; default?: unknown } = isTypeScript
    ? await (await import('tsx/esm/api')).tsImport(url, import.meta.url)
    : await import(url);
  const bot = module.bot ?? module.default;
  if (typeof bot !== 'function') throw new Error('it exports no `bot` function');
  return bot as BotFunction;
}

/** Node keeps the line of a syntax error to itself, except when it is asked to check the file. */
function describe(error: Error, botFile: string): string {
  const stack = error.stack ?? '';
  if (error.name !== 'SyntaxError' || stack.includes(botFile)) return stack;
  return `${stack}\n${spawnSync(process.execPath, ['--check', botFile], { encoding: 'utf8' }).stderr}`;
}
