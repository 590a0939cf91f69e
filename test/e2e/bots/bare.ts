import { acceptCall, type RunnerArguments } from 'voicebot';

/** A bare function: it cannot tell the runner whether it has a disclosure. */
export default async function bot(args: RunnerArguments): Promise<void> {
  const call = await acceptCall(args);
  await call.hangUp();
}
