import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { Socket } from 'node:net';
import { posix, win32 } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { decodeMulaw } from '../../base/audio/mulaw.js';
import type { Environment } from '../../config/environment.js';

/** Programs that play raw samples from their standard input: 16 bits, 8000 Hz, one channel. */
const PLAYERS: ReadonlyArray<readonly [program: string, ...options: string[]]> = [
  ['paplay', '--raw', '--rate=8000', '--format=s16le', '--channels=1', '--latency-msec=60'],
  ['aplay', '-q', '-t', 'raw', '-f', 'S16_LE', '-r', '8000', '-c', '1'],
  ['play', '-q', '-t', 'raw', '-r', '8000', '-e', 'signed-integer', '-b', '16', '-c', '1', '-'],
  ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'quiet', '-f', 's16le', '-sample_rate', '8000', '-i', '-'],
];
/** What may wait for the player, in bytes: half a second. What is more is not played, so that it stays in time. */
const MAX_WAITING_BYTES = 8_000;
const MAX_REASON_CHARACTERS = 300;

export const NO_PLAYER =
  'The call is not played: none of the programs paplay, aplay, play and ffplay is installed. Install one: apt install sox, brew install sox, winget install Gyan.FFmpeg.';

/** Plays both sides of a call aloud, with a program of this machine. */
export class Loudspeaker {
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #stderr: Readable;
  #isOver = false;

  /**
   * @param warn told in a sentence when the program ends before the call does
   * @returns undefined where no such program is installed
   */
  static open({ PATH = '' }: Environment, warn: (sentence: string) => void): Loudspeaker | undefined {
    for (const [program, ...options] of PLAYERS) {
      const path = findPlayer(PATH, program);
      if (path !== undefined) return new Loudspeaker(path, program, options, warn);
    }
    return undefined;
  }

  private constructor(path: string, program: string, options: readonly string[], warn: (sentence: string) => void) {
    const child = spawn(path, options, { stdio: ['pipe', 'ignore', 'pipe'] });
    let written = ''; // to its standard error
    const stopped = (reason: string) => {
      if (!this.#isOver) warn(`The program ${program} has stopped (${reason}): the call goes on without sound.`);
      this.#isOver = true;
    };
    this.#child = child;
    this.#stdin = child.stdin;
    this.#stderr = child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-MAX_REASON_CHARACTERS);
    });
    this.#stdin.on('error', () => {}); // it shows as the exit
    child.on('error', ({ message }) => stopped(message));
    child.on('close', (code, signal) => {
      stopped(written.trim().split('\n').at(-1)?.trim() || (signal ?? `exit code ${code}`));
    });
  }

  /** @param sides mu-law, 8000 Hz, equally long: the two are mixed */
  play(...sides: readonly [heard: Uint8Array, said: Uint8Array]): void {
    if (this.#isOver || this.#stdin.writableLength > MAX_WAITING_BYTES) return;
    const [heard, said] = sides.map(decodeMulaw) as [Int16Array, Int16Array];
    const mixed = heard.map((sample, n) => Math.max(-32_768, Math.min(32_767, sample + (said[n] ?? 0))));
    this.#stdin.write(Buffer.from(mixed.buffer));
  }

  /** What it has been given is still played. */
  close(): void {
    this.#isOver = true;
    this.#stdin.end();
    this.#child.unref();
    (this.#stderr as Socket).unref(); // the pipe to a child is one
  }
}

/** @param directories as in the variable `PATH` */
export function findPlayer(
  directories: string,
  program: string,
  platform: NodeJS.Platform = process.platform,
  isProgram: (path: string) => boolean = isExecutable,
): string | undefined {
  const { delimiter, join } = platform === 'win32' ? win32 : posix;
  const name = platform === 'win32' ? `${program}.exe` : program;
  const folders = directories.split(delimiter).filter(Boolean);
  return folders.map((directory) => join(directory, name)).find(isProgram);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
