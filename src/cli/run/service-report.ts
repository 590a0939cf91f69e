import type { ServiceState } from '../../call/service-name.js';
import type { Output } from '../../terminal/output.js';

/** A service of a vendor has failed in calls, or works again. */
export function tellService(output: Output, { does, provider, model, isWell, why }: ServiceState): void {
  const name = [provider, model].filter(Boolean).join(' ');
  const service = { does, provider, model, ...(why !== undefined && { why }) };
  output.event('service', { ...service, well: isWell });
  if (isWell) {
    output.log('info', 'a service works again', service);
    output.news(`${output.paint.green('✔')} ${name} works again`);
  } else {
    output.log('warn', 'a service has failed', service);
    output.news(`${output.paint.yellow('!')} ${name} is not asked first until it works again: ${why}`, 'warn');
  }
}
