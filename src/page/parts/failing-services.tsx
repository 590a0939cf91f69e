import type { RunnerStatus } from '../../call/runner-status.js';
import { failureWords } from '../../call/view/services.js';

/** Which services do not work, and what works in their place. */
export function FailingServices({ status: { services = [] } }: { status: RunnerStatus }) {
  if (services.length === 0) return null;
  return (
    <div class="conclusion" role="status">
      {services.map((service) => (
        <p key={`${service.does} ${service.provider} ${service.model} ${service.which}`} title={service.why}>
          {failureWords(service)}.
        </p>
      ))}
    </div>
  );
}
