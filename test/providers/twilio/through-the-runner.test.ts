import { describeCallThroughRunner } from '../call-through-runner.js';
import { twilioLine } from './line.js';

describeCallThroughRunner(twilioLine());
