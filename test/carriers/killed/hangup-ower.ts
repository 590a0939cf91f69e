/** A process that owes the end of a call, as a runner writes it down, and can be killed: `<state folder> <call>`. The account is in the environment. */
import { HangupJournal } from '../../../src/runner/calls/debts/hangup-journal.js';

const [state = '', callId = ''] = process.argv.slice(2);
new HangupJournal(state, JSON.parse(process.env.ACCOUNT ?? '{}')).add(callId);
process.stdout.write('owed\n');
setInterval(() => {}, 60_000);
