import { carriers } from '../../../../src/providers/registry/carriers.js';
import { Rig } from '../rig.js';
import { CALLED, DIALLED, dialled, greeted, NOT_ANSWERED, type Story } from '../story.js';
import type { TappedWebhook } from '../wire-tap.js';

/** What the runner is started with for these stories: a process for each call, and hardly any dialling. */
export const GUARDED = {
  callsPerProcess: 1,
  warm: 2,
  ringSeconds: 5,
  dialLimits: { perMinute: 3, atOnce: 1, secondsPerNumber: 60 },
} as const;

const refusal = async (rig: Rig, to: string) => {
  const { status, body: answer } = await rig.startCall({ phone_number: to });
  return { status, code: answer.error?.code };
};

/** The same webhook as each of the other carriers would sign it. */
function foreign({ headers, ...webhook }: TappedWebhook, rig: Rig) {
  const { name, signatureHeader } = rig.played.carrier;
  const others = Object.values(carriers).filter((other) => other.name !== name);
  return others.map((sender) => ({
    sender,
    webhook: {
      ...webhook,
      headers: {
        'content-type': headers['content-type'] ?? '',
        [sender.signatureHeader]: String(headers[signatureHeader]),
      },
    },
  }));
}

/** What carriers say of a caller's number that is not the account's. */
const REFUSED_FROM = ['is not associated with your account', 'is neither a number of the account nor verified for it'];

/** Those in the way of other calls, in the order in which they are played: the last one leaves no runner. */
export const GUARDS: readonly Story[] = [
  {
    title: 'webhooks of other carriers are refused, and one line of the log says whose the first looks like',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550132');
      const [webhook] = rig.tap.webhooksOf(id);
      if (!webhook) throw new Error('no webhook came');
      const statuses: number[] = [];
      const others = foreign(webhook, rig);
      for (const other of others) statuses.push(await rig.tap.replay(other.webhook));
      const hints = rig.warnings.map(({ hint }) => String(hint)).filter((hint) => hint.startsWith('it looks like '));
      line.press('1');
      const names = hints.map((hint) => hint.startsWith(`it looks like a webhook of ${others[0]?.sender.name}, `));
      return { record: await rig.over(id), facts: { statuses, namesTheFirst: names } };
    },
    record: { ...CALLED, from: '+12025550132', endReason: 'bot_ended' },
    facts: { statuses: [403, 403], namesTheFirst: [true] },
  },
  {
    title: 'a bot that dies is replaced, and the caller stays',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550125');
      line.press('7');
      await rig.hears(id, 'greeted', 2);
      line.press('1');
      return { record: await rig.over(id) };
    },
    record: {
      ...CALLED,
      from: '+12025550125',
      attempt: 2,
      endReason: 'bot_ended',
      states: 'ringing starting connected starting connected ended',
    },
  },
  {
    title: 'a number is not dialled again at once',
    play: async (rig) => {
      const record = await rig.over(await dialled(rig, '+12025550101', { does: '1' }));
      return { record, facts: await refusal(rig, '+12025550101') };
    },
    record: { ...DIALLED, to: '+12025550101', endReason: 'bot_ended' },
    facts: { status: 429, code: 'VB_DIAL_LIMIT' },
  },
  {
    title: 'no more calls are dialled at once, and in a minute, than the spend guard allows',
    play: async (rig) => {
      const ringing = await dialled(rig, '+12025550103');
      const atOnce = await refusal(rig, '+12025550102');
      const record = await rig.over(ringing);
      await rig.over(await dialled(rig, '+12025550102'));
      return { record, facts: { atOnce, inAMinute: await refusal(rig, '+12025550104') } };
    },
    record: { ...NOT_ANSWERED, to: '+12025550103', endReason: 'no_answer' },
    facts: {
      atOnce: { status: 429, code: 'VB_DIAL_LIMIT' },
      inAMinute: { status: 429, code: 'VB_DIAL_LIMIT' },
    },
  },
  {
    title: 'a call that the carrier refuses to place is told of in the words of the carrier',
    play: async (rig) => {
      await using other = await Rig.of(rig.played, { phoneNumber: '+12025550999' });
      const { status, body: answer } = await other.startCall({ phone_number: '+12025550101' });
      const { code, message = '', hint = '' } = answer.error ?? {};
      return {
        facts: {
          status,
          code,
          words: REFUSED_FROM.some((words) => message.includes(words)) ? 'its own' : 'ours',
          namesSetting: hint.startsWith('set CARRIER_PHONE_NUMBER to a '),
          namesPage: new RegExp(`: (https://)?(console|portal)\\.${rig.played.name}\\.com\\b`).test(hint),
        },
      };
    },
    facts: { status: 502, code: 'VB_CARRIER_REQUEST_FAILED', words: 'its own', namesSetting: true, namesPage: true },
  },
  {
    title: 'a call that goes on for longer than it may is ended',
    play: async (rig) => {
      await using other = await Rig.of(rig.played, { maxCallSeconds: 7 }); // the last 5 s are for its goodbye
      const { line, id } = await greeted(other, '+12025550138');
      const { wasAnswered } = await line.ended();
      return { record: await other.over(id), facts: { wasAnswered } };
    },
    record: { ...CALLED, from: '+12025550138', endReason: 'limit_reached' },
    facts: { wasAnswered: true },
  },
  {
    title: 'a runner that drains ends no call, and turns new callers away',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550136');
      const stopped = rig.runner.stop({ drainMs: 30_000 });
      const { wasAnswered } = await (await rig.call('+12025550137')).ended();
      const dialling = await rig.startCall({ phone_number: '+12025550105' });
      line.press('1');
      const { digit } = await rig.hears(id, 'key');
      const record = rig.latest(id);
      await stopped;
      return { record: await record, facts: { digit, wasAnswered, dialling: dialling.status } };
    },
    record: { ...CALLED, from: '+12025550136', endReason: 'bot_ended' },
    facts: { digit: '1', wasAnswered: false, dialling: 503 },
  },
];
