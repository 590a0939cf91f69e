import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { hasBalancer } from '../cluster/rig/balancer.js';

(hasBalancer ? test : test.skip)(
  'HAProxy takes the balancer of the page on scale without a warning (needs haproxy)',
  () => {
    const page = readFileSync(join(PACKAGE_ROOT, 'docs/scale.md'), 'utf8');
    const [, balancer = ''] = /^```\n(defaults\n.*?)^```/ms.exec(page) ?? [];
    const directory = mkdtempSync(join(tmpdir(), 'voicebot-balancer-'));
    try {
      const file = join(directory, 'haproxy.cfg');
      writeFileSync(file, balancer);
      const env = { PATH: `${process.env.PATH}:/usr/sbin`, VOICEBOT_TOKEN: 'token' };
      const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { env, encoding: 'utf8' });
      expect(stderr).not.toMatch(/WARNING|ALERT/);
      expect(status).toBe(0);
      expect(balancer).toContain('frontend');
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
);
