import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { doNotCallPath } from '../../../../src/runner/dialing/do-not-call/list-file.js';

/** A state directory of the test's own. */
export class ListFolder implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), 'voicebot-do-not-call-'));
  readonly path = doNotCallPath(this.home, false);
  readonly folder = dirname(this.path);

  get text(): string {
    return readFileSync(this.path, 'utf8');
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
