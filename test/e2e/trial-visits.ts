import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../cli/in-process.js';
import { type AccountRuns, isOfTrialRoom } from './account-runs.js';
import { SHARED_NUMBER } from './accounts.js';
import type { RoomsStandIn } from './rooms-stand-in.js';

export const RUN = 'run bot.mjs --transport rooms --dialin --port 0';
export const DOCTOR = 'doctor bot.mjs --port 0';

/** What people are told by commands that try a room of this provider. */
export class TrialVisits {
  constructor(
    private readonly runs: AccountRuns,
    private readonly provider: RoomsStandIn,
  ) {
    writeFileSync(join(runs.accounts.home, 'bot.mjs'), 'export async function bot() {}\n');
  }

  /** A command inside this process. */
  async told(
    line: string,
    environment: Record<string, string> = {},
  ): Promise<{ exitCode: number | null; stderr: string }> {
    const { accounts } = this.runs;
    const { exitCode, stderr } = await command(line.split(' '), accounts.home, {
      PATH: process.env.PATH,
      VOICEBOT_HOME: accounts.home,
      ...accounts.environment(SHARED_NUMBER),
      CARRIER_AUTH_ID: '',
      CARRIER_AUTH_TOKEN: '',
      ROOMS_API_URL: this.provider.apiUrl,
      ...environment,
    }).finished;
    return { exitCode, stderr };
  }

  /** Why `run` fails, and what `doctor` says of the room, in their words, once neither has changed anything. */
  async both(environment: Record<string, string> = {}) {
    const run = await this.told(RUN, environment);
    const doctor = await this.told(DOCTOR, environment);
    expect(doctor.stderr).toContain('1 of 12 checks failed');
    expect(this.provider.writes.filter(({ path }) => !isOfTrialRoom(path))).toEqual([]);
    await this.runs.expectAsBefore();
    return {
      run: { exitCode: run.exitCode, told: run.stderr.slice(run.stderr.indexOf('✖')) },
      doctor: { exitCode: doctor.exitCode, told: /^. room (?:.|\n(?= {15}))*/m.exec(doctor.stderr)?.[0] },
    };
  }
}

/** What both say of a failure, word for word. */
export const failureTold = (exitCode: number, code: string, words: string, hint: string) => ({
  run: { exitCode, told: `✖ ${words}\n  ${hint}\n  ${code}\n` },
  doctor: { exitCode, told: `✖ room         ${words}\n               ${hint}` },
});
