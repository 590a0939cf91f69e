import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import type { Callee } from '../network/phone.js';
import type { CallServices } from './call-services.js';

/** Finds out whether a machine has answered, and does what was asked for then. @see carrier reference 1.2 and 2.2 */
export async function detectMachine(call: PhoneCall, callee: Callee, services: CallServices): Promise<void> {
  const { machineDetection: detection } = call.setup;
  if (!detection) return;
  await call.wait(detection.afterMs);
  if (call.isOver) return;
  if (detection.report) {
    const parameters = services.face.words.machine(call, callee.isMachine);
    void services.inform(call, 'MachineDetection', detection.report, parameters);
  }
  if (callee.isMachine && detection.hangsUp) call.finish(HANGUP_CAUSES.machine, 'Network');
}
