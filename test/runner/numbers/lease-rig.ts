import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import type { LeaseRequest } from '../../../src/runner/numbers/lease-plan.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { FakeRouting } from './fake-routing.js';

export const NUMBER = '+12025550100';
export const THEIRS = 'https://theirs.example/dialin';
export const ACCOUNT = { provider: 'daily', id: '0123456789abcdef', apiUrl: 'http://127.0.0.1:1/v1' };
/** No process has this number: it is above what systems give out. */
const DEAD_PID = 999_999_999;

export const urlsOf = (host: string) => ({
  answerUrl: `https://${host}.example/rooms-dialin-webhook`,
  hangupUrl: `https://${host}.example/hangup`,
});
export const OURS = urlsOf('ours');

/** A provider in memory, and a state folder that goes with the test. */
export class LeaseRig implements Disposable {
  readonly state = join(mkdtempSync(join(tmpdir(), 'voicebot-leases-')), 'state');
  readonly routing = new FakeRouting({ [NUMBER]: THEIRS, '+12025550101': 'https://other.example/dialin' });
  readonly journal = new LeaseJournal(this.state);
  /** Addresses at which a voicebot answers. */
  readonly live = new Set<string>();
  readonly asked: string[] = [];

  readonly isLive = async (url: string) => {
    this.asked.push(url);
    return this.live.has(url);
  };

  take(changes: Partial<LeaseRequest> = {}): Promise<NumberLease> {
    return NumberLease.take({
      routing: this.routing,
      account: ACCOUNT,
      number: NUMBER,
      urls: OURS,
      journal: this.journal,
      isTaking: false,
      isLive: this.isLive,
      logger: silentLogger,
      ...changes,
    });
  }

  get folder(): string {
    return join(this.state, 'leases');
  }

  /** Files of the journal, without the folder of addresses. */
  get files(): string[] {
    return readdirSync(this.folder)
      .filter((name) => name !== 'addresses')
      .sort();
  }

  /** The entry of the number, as it is on the disk. */
  get entry() {
    return this.journal.read(ACCOUNT, NUMBER);
  }

  /** Changes what the entries, and the locks, on the disk say; without changes, their process is dead. */
  disown(changes: object = { pid: DEAD_PID }): void {
    for (const name of this.files.filter((name) => /\.(json|lock)$/.test(name))) {
      const path = join(this.folder, name);
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }));
    }
  }

  [Symbol.dispose](): void {
    rmSync(join(this.state, '..'), { recursive: true, force: true });
  }
}
