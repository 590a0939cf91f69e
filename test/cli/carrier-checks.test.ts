import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { checkCarrier } from '../../src/cli/doctor/carrier-checks.js';
import { Findings } from '../../src/cli/doctor/findings.js';
import { resolveConfig } from '../../src/config/config.js';
import { BUILT_IN_CARRIERS } from '../../src/providers/registry/carrier-names.js';
import { carriers } from '../../src/providers/registry/carriers.js';
import { Output } from '../../src/terminal/output.js';

const directory = mkdtempSync(join(tmpdir(), 'voicebot-doctor-carrier-'));
afterAll(() => rmSync(directory, { recursive: true }));

async function told(environment: Record<string, string>) {
  const findings = new Findings(new Output({ stdout: new PassThrough(), stderr: new PassThrough(), json: false }));
  checkCarrier(findings, await resolveConfig({ flags: {}, environment, directory }));
  return findings.all;
}

test.each(BUILT_IN_CARRIERS)(
  'says that %s is meant, why, and a line for each thing that carriers differ in',
  async (name) => {
    const [finding, ...others] = await told({ CARRIER: name });
    expect({ check: finding?.check, status: finding?.status, others }).toEqual({
      check: 'carrier',
      status: 'ok',
      others: [],
    });
    const [first, ...lines] = finding?.message.split('\n') ?? [];
    expect(first).toBe(`${name} (CARRIER in the environment)`);
    expect(lines).toHaveLength(Object.keys(carriers[name].capabilities).length);
    expect(lines[0]).toContain(carriers[name].capabilities.audio.telephone.encoding);
  },
);

test('warns where wideband audio cannot be had, and only there', async () => {
  expect((await told({ CARRIER: 'plivo', VOICEBOT_AUDIO: 'wideband' })).map(({ status }) => status)).toEqual(['ok']);
  expect(await told({ CARRIER: 'twilio', VOICEBOT_AUDIO: 'wideband' })).toContainEqual(
    expect.objectContaining({
      check: 'audio',
      status: 'warning',
      message: expect.stringContaining('telephone audio only'),
    }),
  );
});
