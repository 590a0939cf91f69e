import { accessSync, constants } from 'node:fs';
import { posix, win32 } from 'node:path';
import { CloudflaredProcess } from './cloudflared-process.js';
import type { TunnelProvider } from './contract.js';
import { tunnelFailure } from './tunnel-failure.js';

export interface CloudflaredOptions {
  /** Environment of the program, without secrets; the program is looked for on its `PATH`. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long the program gets to end by itself before it is killed, in milliseconds. Default 3000. */
  readonly closeWithinMs?: number;
}

export function cloudflaredProvider({ environment, closeWithinMs = 3_000 }: CloudflaredOptions): TunnelProvider {
  return {
    kind: 'cloudflared',
    note: 'good for development: no account, no known limit on connections, another name each time; no promise of uptime',
    deadlineMs: 30_000, // a new name needs some seconds until it resolves
    open: async ({ port }, signal) => {
      const program = findCloudflared(environment.PATH);
      if (program === undefined) {
        throw tunnelFailure('cloudflared', 'there is no such program on the PATH', {
          hint: 'Install it: brew install cloudflared, winget install Cloudflare.cloudflared, or see https://developers.cloudflare.com/tunnel/downloads/.',
        });
      }
      const cloudflared = new CloudflaredProcess(program, port, environment, closeWithinMs);
      try {
        const url = await cloudflared.ready(signal);
        return { url, maxConnections: undefined, lost: cloudflared.lost, close: () => cloudflared.close() };
      } catch (error) {
        await cloudflared.close();
        throw error;
      }
    },
  };
}

/** @param path as in the variable `PATH` @returns undefined when none is there */
export function findCloudflared(
  path: string | undefined,
  platform: NodeJS.Platform = process.platform,
  isProgram: (file: string) => boolean = isExecutable,
): string | undefined {
  const { delimiter, join } = platform === 'win32' ? win32 : posix;
  const name = platform === 'win32' ? 'cloudflared.exe' : 'cloudflared';
  const candidates = (path ?? '').split(delimiter).filter(Boolean);
  return candidates.map((directory) => join(directory, name)).find(isProgram);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
