/** Thrown by a command that has said all there is to say: nothing to print, only an exit code. */
export class AlreadyTold extends Error {
  override readonly name: string = 'AlreadyTold';

  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
