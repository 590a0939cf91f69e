import { hurried } from '../../../hasty-clock.js';
import { answers, greets, instructs, runsFunctions } from './conversation-cases.js';
import { goesOnAfterCough, takesBack, tellsHeard } from './interruption-cases.js';
import type { FarEnd } from './live-stage.js';
import { answersNothing, breaks, breaksWhileAsked, expires, refusesKey } from './session-cases.js';

hurried();

// Each behaviour with one vendor; the others are in live-vendors.slow.paced.test.ts.
test.each<[name: string, farEnd: FarEnd, run: (farEnd: FarEnd) => Promise<void>]>([
  ['a turn is answered, and its words are added when they come', 'openai', answers],
  ['the greeting is said by the session, which knows it', 'google', greets],
  ['a function is run, and the model goes on with its result', 'google', runsFunctions],
  ['the model hears what it is told by hand, and ends the call', 'xai', instructs],
  ['an interruption takes back what was not heard', 'openai', takesBack],
  ['one that takes nothing back is told what was heard', 'xai', tellsHeard],
  ['a cough holds the bot, which goes on', 'openai', goesOnAfterCough],
  ['a session that breaks gives way to another', 'xai', breaks],
  ['the session after one that breaks hears the caller again', 'google', breaksWhileAsked],
  ['a session that answers nothing is replaced, then the apology follows', 'openai', answersNothing],
  ['a session that is refused for its key ends the call', 'google', refusesKey],
  ['a session at its time limit gives way to another', 'openai', expires],
])('%s, with %s', async (_, farEnd, run) => run(farEnd));
