/** Entry of a bot's process: loads the bot file once, then serves the calls whose sockets the runner hands over. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { settlesWithin } from '../../base/async/deadline.js';
import { everyInterval } from '../../base/async/every-interval.js';
import { allowClock, reportClockTo } from '../../base/clock/clock-member.js';
import { followClock } from '../../base/clock/process-clock.js';
import { errorText } from '../../base/error-text.js';
import type { Exception } from '../../base/exception/exception.js';
import { type CodePlace, type ExceptionOptions, exceptionAt, exceptionOf } from '../../base/exception/exception-of.js';
import { tellExceptionsTo } from '../../base/exception/report-exception.js';
import { findOptionalPackagesFrom, importOptionalPackage } from '../../base/optional-package.js';
import { scriptUrl } from '../../bot/services/llm/model-script.js';
import { functionsUrl } from '../../bot/services/llm/played-function.js';
import { sharedHealth } from '../../bot/services/service-health.js';
import { FliteTTS } from '../../bot/services/tts/flite-tts.js';
import { haveLabSpeak } from '../../bot/services/tts/lab-speech.js';
import { sayTones } from '../../bot/services/tts/spoken-tones.js';
import { preloadRoomsTransport } from '../../bot/transports/room/rooms-transport.js';
import { rehearseStream } from '../../bot/transports/stream/rehearsal.js';
import { type BotDefinition, definitionOf } from '../../call/bot-definition.js';
import { currentMutation } from '../../call/mutation.js';
import type { BotFunction } from '../../call/runner-arguments.js';
import { useStandIns } from '../../call/stand-ins.js';
import { loadExtensions } from '../../providers/registry/extensions.js';
import { Tracing } from '../tracing/tracing.js';
import { BotHost } from './bot-host.js';
import { knownError, placeInCheck } from './bot-load-error.js';
import { type BotSource, compiledPath } from './bot-source.js';
import { loadedFiles } from './loaded-files.js';
import type { MessageFromBot, MessageToBot } from './messages.js';
import type { RunnerPages } from './runner-pages.js';
import { endOnUncaught } from './uncaught.js';

const HEARTBEAT_EVERY_MS = 500;
/** Longest wait for a browser to be gone before a process without a runner ends, in milliseconds. */
const CLOSE_LIMIT_MS = 10_000;

/** Of the process's memory, what is in the machine's. */
const residentBytes = () => process.memoryUsage.rss();

let host: BotHost | undefined;
let pages: RunnerPages | undefined;
let definition: BotDefinition | undefined;
let tracing: Tracing | undefined;

// The runner may die while a call goes on: its channel and its pipes are then gone, the call is not.
const send = (message: MessageFromBot, done = () => {}) => {
  if (process.connected) process.send?.(message, undefined, undefined, done);
  else done();
};
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
process.on('message', (message: MessageToBot, socket?: Socket) => {
  if (message.type === 'load') void load(message);
  else if (message.type === 'clock') allowClock(message.lease);
  else if ('callId' in message) host?.receive(message, socket);
  else if (message.type === 'check_body') void checkBody(message);
  else if (message.type === 'service_health') sharedHealth.learn(message.state, message.probes);
  else if (message.type === 'stop') host?.stop();
  else if (message.type === 'exit') void leave();
  else pages?.receive(message);
});

sharedHealth.on('changed', (state) => send({ type: 'service_health', state }));

endOnUncaught((done) => send({ type: 'heartbeat', residentBytes: residentBytes(), lateMs: 0 }, done)); // behind what was told before

process.on('disconnect', () => {
  host?.runnerGone();
  pages?.runnerGone();
  exitWhenIdle();
});

function exitWhenIdle(): void {
  if (!host?.callCount) void exit();
}

/** Its browser, and what that of the runner has left, goes first. */
async function exit(): Promise<void> {
  if (pages) await settlesWithin(pages.close(), CLOSE_LIMIT_MS);
  await leave();
}

async function leave(): Promise<void> {
  await tracing?.send();
  process.exit();
}

async function checkBody({ requestId, body }: Extract<MessageToBot, { type: 'check_body' }>): Promise<void> {
  const problems = await definition?.checkBody?.(body).catch((error: unknown) => [`the bot's schema fails: ${error}`]);
  send({ type: 'body_checked', requestId, problems: problems ?? [] });
}

interface BotModule {
  bot?: unknown;
  default?: unknown;
}

async function load({
  source,
  environment,
  roomsClient,
  standIns,
  clock,
  speech = {},
  extensions = [],
}: Extract<MessageToBot, { type: 'load' }>): Promise<void> {
  if (clock) followClock(clock);
  reportClockTo((report) => send({ type: 'clock', report }));
  haveLabSpeak(speech.saidAt);
  sayTones(speech.saysTones ?? false);
  Object.assign(process.env, environment);
  const seen: ExceptionOptions = { loaded: loadedFiles(source.file) };
  tellExceptionsTo(
    (report) => {
      if (process.connected) send({ type: 'exception', report });
      return process.connected;
    },
    (thrown) => exceptionOf(thrown, seen),
  );
  try {
    findOptionalPackagesFrom(source.file);
    await loadExtensions(extensions);
    if (standIns) useStandIns();
    if (standIns) scriptUrl(); // refused here if it cannot be used
    functionsUrl(); // so is this one
    currentMutation(); // and this, where no test breaks the bot
    if (roomsClient === 'browser') await usePagesOfRunner();
    const bot = botOf(await importSource(source));
    definition = definitionOf(bot);
    await Promise.all([definition?.load(), standIns && FliteTTS.load()]);
    tracing = await Tracing.load();
    const tell = (message: MessageFromBot) => {
      send(message);
      if (message.type === 'call_done' && !process.connected) exitWhenIdle();
    };
    if (!roomsClient) await rehearseStream();
    host = new BotHost(bot, tell, () => !process.connected, tracing);
    everyInterval(HEARTBEAT_EVERY_MS, (lateMs) =>
      send({ type: 'heartbeat', residentBytes: residentBytes(), lateMs }),
    ).unref();
    send({
      type: 'ready',
      residentBytes: residentBytes(),
      record: definition?.record,
      disclosure: definition?.disclosure,
    });
    if (roomsClient) void preloadRoomsTransport(roomsClient).catch(() => {}); // the bot that needs it is told why it cannot have it
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    const named = (text: string) => text.replaceAll(compiledPath(source.file, process.pid), source.file);
    const known = knownError(error);
    const stack = named(describe(cause, source.file));
    const exception = loadException(cause, placeInCheck(stack), seen);
    send({ type: 'load_failed', message: named(errorText(cause)), stack, exception, ...(known && { known }) });
  }
}

/** The place of a syntax error is in the text around it, that of any other in its stack. */
function loadException(error: Error, place: CodePlace | undefined, seen: ExceptionOptions): Exception {
  const exception = exceptionOf(error, seen);
  return exception.file === undefined && error.name === 'SyntaxError'
    ? exceptionAt(exception.error, place, seen)
    : exception;
}

/** Loaded for those bots only that need it: their processes are many. */
async function usePagesOfRunner(): Promise<void> {
  const [{ ownBrowser, usePages }, { RunnerPages }] = await Promise.all([
    import('../../providers/daily/client/process-pages.js'),
    import('./runner-pages.js'),
  ]);
  pages = new RunnerPages(send, ownBrowser);
  usePages(pages);
}

/** Compiled code has to stand beside its source for as long as it is imported, so that packages are found from there. */
async function importSource({ file, code }: BotSource): Promise<BotModule> {
  if (code === undefined) return import(pathToFileURL(file).href);
  process.setSourceMapsEnabled(true);
  const compiled = compiledPath(file, process.pid);
  const remove = () => rmSync(compiled, { force: true });
  process.once('exit', remove); // the runner may go away while the bot loads
  try {
    writeFileSync(compiled, code, { flag: 'wx' });
  } catch {
    // A folder we may not write to.
    const { tsImport } = (await importOptionalPackage('tsx/esm/api')) as typeof import('tsx/esm/api');
    return tsImport(pathToFileURL(file).href, import.meta.url);
  }
  try {
    return await import(pathToFileURL(compiled).href);
  } finally {
    remove();
  }
}

function botOf(module: BotModule): BotFunction {
  const commonJs: BotModule = Object(module.default); // what CommonJS exports comes as the default
  const bot = module.bot ?? commonJs.bot ?? commonJs.default ?? module.default;
  if (typeof bot !== 'function') throw new Error('it exports no `bot` function');
  return bot as BotFunction;
}

/** Node keeps the line of a syntax error to itself, except when it is asked to check the file. */
function describe(error: Error, botFile: string): string {
  const stack = error.stack ?? '';
  if (error.name !== 'SyntaxError' || stack.includes(botFile)) return stack;
  return `${stack}\n${spawnSync(process.execPath, ['--check', botFile], { encoding: 'utf8', env: {} }).stderr}`;
}
