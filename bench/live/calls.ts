/** Telephones, and the far ends of the bots that they call. Those bots, the runner's network and its rooms are in processes of their own. */
import { answer } from '../processes/questions.js';
import { bareTurns, turns } from './answered-call.js';
import { interruptedCalls } from './interrupted-call.js';

const questions = { interruptedCalls, turns, bareTurns };
export type LiveCalls = typeof questions;

answer(questions);
