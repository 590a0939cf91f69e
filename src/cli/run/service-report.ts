import { type ServiceState, serviceWords } from '../../call/service-name.js';
import type { Output } from '../../terminal/output.js';

/** A service of a vendor has failed in calls, or works again. */
export function tellService(output: Output, { does, provider, model, isWell, why, code }: ServiceState): void {
  const service = { does, provider, model };
  const name = serviceWords(service);
  output.event('service', { ...service, well: isWell, ...(why !== undefined && { why }) });
  if (isWell) {
    output.log('info', 'a service works again', service);
    output.news(`${output.paint.green('✔')} ${name} works again`);
  } else {
    output.log('warn', 'a service has failed', { ...service, detail: why });
    const trouble = code === 'VB_CREDENTIALS_REFUSED' ? 'refuses the key' : 'has failed';
    output.news(`${output.paint.yellow('!')} ${name} ${trouble}: ${why}`, 'warn');
  }
}
