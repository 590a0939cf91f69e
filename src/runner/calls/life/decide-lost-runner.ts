import { awaitLastWord, isReplaceable, recover } from './decide-documents.js';
import { replace } from './decide-room.js';
import type { Decision } from './decision.js';

/**
 * The runner that had the call is gone, or has given it away, and its bots with it: this one goes on with what it knows. A carrier whose
 * stream has ended comes for the next document by itself; into a room another bot is sent at once.
 */
export function onRunnerLost(d: Decision): void {
  if (d.terms.media === 'room') goOnInRoom(d);
  else goOnWithoutStream(d);
}

function goOnInRoom(d: Decision): void {
  const { phase } = d;
  d.clearTimers('beside', 'tone', 'entry');
  if (phase.is === 'starting' || phase.is === 'joined' || phase.is === 'talking' || phase.is === 'transferring') {
    replace(d, 'bot_crashed');
  }
}

function goOnWithoutStream(d: Decision): void {
  const { phase } = d;
  const { asked, refused } = d.stream;
  d.clearTimers('beside', 'tone', 'entry', 'outcome', 'problem');
  d.learnOfStream({
    requests: [],
    asked: undefined,
    refused: asked?.no ?? refused,
    problem: undefined,
    isRecovering: false,
    waitingSince: undefined,
  });
  switch (phase.is) {
    case 'starting':
    case 'talking':
      d.learnOfStream({ outcome: 'bot_crashed' });
      d.go({ is: 'between_streams', outcome: 'bot_crashed', hadBot: true, isAssumed: true });
      if (isReplaceable(d, 'bot_crashed')) d.do({ do: 'renew_pass' });
      awaitLastWord(d, 'bot_crashed');
      recover(d, 0);
      break;
    case 'between_streams':
      if (phase.hadBot && isReplaceable(d, phase.outcome)) d.do({ do: 'renew_pass' });
      recover(d, 0);
      break;
    case 'transferring':
      d.go({ ...phase, bot: undefined, hasStream: false });
      break;
    case 'returning':
      d.go({ is: 'waiting_for_stream', resumes: phase.resumes, resumedAt: phase.resumedAt });
      break;
    case 'ending':
      d.go({ is: 'ending', bot: undefined });
      break;
  }
}
