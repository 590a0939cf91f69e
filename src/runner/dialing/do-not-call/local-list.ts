import { type DoNotCallList, ForgetfulList, listedError, type NumberToList } from './do-not-call-list.js';
import { DoNotCallFile, doNotCallPath } from './list-file.js';

/** What of a runner's options concerns its list. */
export interface ListingRunner {
  /** Absolute path. */
  readonly stateDirectory: string;
  readonly isSandbox?: boolean | undefined;
  /** What callees ask for is done and not kept. Default false. */
  readonly forgetsDoNotCall?: boolean | undefined;
}

/** The list of a runner that is alone: the file of this machine. */
export class LocalDoNotCall implements DoNotCallList {
  constructor(
    private readonly file: DoNotCallFile,
    private readonly isSandbox: boolean,
  ) {}

  static of({ stateDirectory, isSandbox = false, forgetsDoNotCall }: ListingRunner): DoNotCallList {
    if (forgetsDoNotCall) return new ForgetfulList();
    return new LocalDoNotCall(new DoNotCallFile(doNotCallPath(stateDirectory, isSandbox)), isSandbox);
  }

  refuse(number: string): void {
    const entry = this.file.get(number);
    if (entry) throw listedError(entry, this.isSandbox);
  }

  async check(number: string): Promise<void> {
    this.refuse(number);
  }

  async add(asked: NumberToList): Promise<void> {
    await this.file.add([asked]);
  }

  async close(): Promise<void> {}
}
