import { answers, greets, instructs, runsFunctions } from './conversation-cases.js';
import { tellsHeard } from './interruption-cases.js';
import type { FarEnd } from './live-stage.js';
import { answersNothing, breaks, breaksWhileAsked, refusesKey } from './session-cases.js';

const CASES = {
  ...{ answers, greets, runsFunctions, instructs },
  ...{ breaks, breaksWhileAsked, answersNothing, refusesKey },
};

const VENDORS: readonly FarEnd[] = ['openai', 'xai', 'google'];

test.concurrent.each(VENDORS.flatMap((farEnd) => Object.entries(CASES).map(([name, run]) => ({ name, farEnd, run }))))(
  '$name, with $farEnd',
  async ({ farEnd, run }) => run(farEnd),
);

test.concurrent.each<FarEnd>(['xai', 'google'])('tellsHeard, with %s', tellsHeard);
