import type { CallId } from '../../../call/call-id.js';
import type { BotCall } from '../../bots/bot-call.js';
import type { CallEvent } from './call-events.js';
import type { CallRegistry } from './call-registry.js';

/** Turns what a bot says about its call into what happens to the call. @param no the bot's number in the call */
export function hearBot(bot: BotCall, no: number, happen: (event: CallEvent) => void): void {
  bot.on('socket_received', () => happen({ type: 'socket_received', bot: no }));
  bot.on('reading', () => happen({ type: 'bot_reading', bot: no }));
  bot.on('stream_over', ({ outcome }) => happen({ type: 'stream_over', bot: no, outcome }));
  bot.on('ends_for', ({ reason }) => happen({ type: 'bot_ends_for', bot: no, reason }));
  bot.on('misconfigured', () => happen({ type: 'bot_is_hopeless', bot: no, why: 'misconfigured' }));
  bot.on('unreadable', ({ error }) => happen({ type: 'bot_cannot_read', bot: no, error }));
  bot.on('transfer', ({ to }) => happen({ type: 'transfer_wanted', bot: no, to }));
  bot.on('consult', ({ requestId: request, to, ringSeconds, legId }) =>
    happen({ type: 'consult_wanted', bot: no, request, to, ringSeconds, ...(legId !== undefined && { legId }) }),
  );
  bot.on('handover', ({ handover }) => happen({ type: 'handover_told', bot: no, handover }));
  bot.on('silent', () => happen({ type: 'bot_silent', bot: no }));
  bot.on('room_news', ({ news }) => happen({ type: 'room_event', bot: no, news }));
  bot.on('check_target', ({ requestId, to }) => happen({ type: 'target_asked', bot: no, request: requestId, to }));
  bot.on('call_done', ({ outcome }) => happen({ type: 'bot_done', bot: no, outcome }));
}

/** Has the record say what the other party has heard, and that they object to the recording. */
export function hearNotices(
  bot: BotCall,
  id: CallId,
  registry: Pick<CallRegistry, 'amend' | 'forgetNotices' | 'removeRecordings'>,
): void {
  bot.on('notice_heard', ({ notice, heard }) =>
    registry.amend(id, notice === 'disclosure' ? { disclosure: heard } : { recordingNotice: heard }),
  );
  bot.on('notices_forgotten', () => registry.forgetNotices(id));
  bot.on('recording_removed', () => registry.removeRecordings([id]));
}
