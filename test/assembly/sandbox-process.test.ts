import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandboxProcess } from '../../src/assembly/sandbox-process.js';

test('a process that ends before it serves is told with how it ended, and what it said last', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-sandbox-process-'));
  const entry = join(folder, 'entry.mjs');
  writeFileSync(entry, "console.error('Error: the disk is full');\nprocess.exit(3);\n");

  const wishes = { carrier: 'plivo', isVerbose: false, expectsRooms: false, entry } as const;
  await expect(startSandboxProcess(process.env, wishes)).rejects.toMatchObject({
    code: 'VB_SANDBOX_FAILED',
    message: expect.stringContaining('ended early (code 3, its last words: Error: the disk is full)'),
  });
  rmSync(folder, { recursive: true });
});
