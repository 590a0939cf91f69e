import type { ServiceState } from '../../call/service-name.js';
import type { Output } from '../../terminal/output.js';

/** A service of a vendor has failed in calls, or works again. */
export function tellService(output: Output, { does, provider, model, isWell, why, code }: ServiceState): void {
  const name = [provider, model].filter(Boolean).join(' ');
  const service = { does, provider, model };
  output.event('service', { ...service, well: isWell, ...(why !== undefined && { why }) });
  if (isWell) {
    output.log('info', 'a service works again', service);
    output.news(`${output.paint.green('✔')} ${name} works again`);
  } else {
    output.log('warn', 'a service has failed', { ...service, detail: why });
    output.news(
      `${output.paint.yellow('!')} ${name} ${code === 'VB_CREDENTIALS_REFUSED' ? 'refuses the key' : 'has failed'}: ${why}`,
      'warn',
    );
  }
}
