import { ControlFrame } from './frame.js';

/** The orderly end: everything before it is played to its end, then the call is hung up and the pipeline is over. */
export class EndFrame extends ControlFrame {}
