import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../e2e/processes.js';
import { HandRooms } from './hand-rooms.js';

/** A room provider, and the state folder that several runners use one after the other. */
export class LeftRooms implements AsyncDisposable {
  readonly stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-state-'));
  /** Where runners write down the rooms that they have to close. */
  readonly folder = join(this.stateDirectory, 'rooms');

  static async open(): Promise<LeftRooms> {
    return new LeftRooms(await HandRooms.start());
  }

  private constructor(readonly rooms: HandRooms) {}

  /** The rooms that are still to be closed, as names of files. */
  written(): string[] {
    return existsSync(this.folder) ? readdirSync(this.folder).filter((name) => name.endsWith('.json')) : [];
  }

  async nothingOwed(): Promise<void> {
    await until(() => this.written().length === 0, 'nothing is left to be closed');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rooms[Symbol.asyncDispose]();
    rmSync(this.stateDirectory, { recursive: true, force: true });
  }
}
