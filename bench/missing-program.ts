/** A part of the bench cannot be measured here. */
export class MissingProgram extends Error {
  constructor(program: string) {
    super(`it needs the program ${program}, which is not installed`);
  }
}
