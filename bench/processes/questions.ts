/** What a process of the bench can be asked: each question with its arguments and its answer. */
// biome-ignore lint/suspicious/noExplicitAny: any function will do, the concrete ones are typed
export type Answers = Record<string, (...args: any[]) => unknown>;

export interface Usage {
  /** User and system time this process has used, in milliseconds. */
  cpuMs: number;
  /** When that was, on this process's monotonic clock, in milliseconds. */
  atMs: number;
}

export function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, atMs: performance.now() };
}

/** Answers the parent's questions, one after the other, until it goes away. */
export function answer(answers: Answers, onEnd: () => Promise<void> = async () => {}): void {
  process.on('message', async ({ question, args }: { question: string; args: unknown[] }) => {
    try {
      process.send?.({ answer: await answers[question]?.(...args) });
    } catch (error) {
      process.send?.({ error: String((error as Error).stack) });
    }
  });
  process.on('disconnect', () => void onEnd().finally(() => process.exit()));
}
