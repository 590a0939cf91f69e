/** Whether a process of this number is there. Signal 0 only asks; a process of another user (EPERM) is there too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
