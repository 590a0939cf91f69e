import { type EventsConfig, eventsOf } from '../../assembly/create-runner.js';
import type { Findings } from './findings.js';

/** Whether events for the user's application can be sent, as far as the settings tell. */
export function checkEvents(findings: Findings, config: EventsConfig): void {
  const { eventsUrl, eventsSecret } = config;
  try {
    if (eventsOf(config)) findings.ok('events', `sent to ${new URL(eventsUrl as string).origin}, signed`);
    else if (eventsSecret) {
      const text = 'VOICEBOT_EVENTS_SECRET is set, and no address to send events to';
      findings.warn('events', text, 'Set VOICEBOT_EVENTS_URL too, or neither');
    }
  } catch (error) {
    findings.fail('events', error);
  }
}
