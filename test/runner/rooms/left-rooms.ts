import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../e2e/processes.js';
import { HandRooms } from './hand-rooms.js';

/** How often rooms that a runner has left are looked at. */
export const SWEEP_EVERY_MS = 60_000;

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

/** Opens them before each test of a file. @param begin is given them */
export function openLeftRoomsForEachTest(begin: (left: LeftRooms) => void): void {
  let left: LeftRooms;
  beforeEach(async () => {
    left = await LeftRooms.open();
    begin(left);
  });
  afterEach(async () => {
    jest.useRealTimers();
    await left[Symbol.asyncDispose]();
  });
}
