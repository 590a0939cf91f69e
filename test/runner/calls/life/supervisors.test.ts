import { silentLogger } from '../../../../src/base/logger.js';
import { CallRegistry } from '../../../../src/runner/calls/life/call-registry.js';
import { CallSupervisor } from '../../../../src/runner/calls/life/supervisor.js';
import { Supervisors } from '../../../../src/runner/calls/life/supervisors.js';

test('one that is removed is not held by the registry, which outlives it', () => {
  const registry = new CallRegistry();
  const supervisors = new Supervisors();
  const before = registry.listenerCount('recordings_removed');
  for (let network = 1; network <= 3; network += 1) {
    const options = { registry, pool: {} as never, doNotCall: { add: async () => {} } as never, logger: silentLogger };
    const supervisor = new CallSupervisor({} as never, options);
    supervisors.add(supervisor);
    expect(registry.listenerCount('recordings_removed')).toBe(before + 1);
    supervisors.remove(supervisor);
    expect(registry.listenerCount('recordings_removed')).toBe(before);
  }
});
