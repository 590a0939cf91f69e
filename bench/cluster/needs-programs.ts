import { hasRedis } from '../../test/cluster/redis-server.js';
import { hasBalancer } from '../../test/cluster/rig/balancer.js';
import { MissingProgram } from '../missing-program.js';

/** @throws MissingProgram where this machine lacks what a cluster is made of */
export function needsPrograms(): void {
  if (!hasBalancer) throw new MissingProgram('haproxy');
  if (!hasRedis) throw new MissingProgram('redis-server');
}
