import { describeCallThroughRunner } from '../call-through-runner.js';
import { telnyxLine } from './line.js';

describeCallThroughRunner(telnyxLine());
