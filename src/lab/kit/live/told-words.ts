/** The words of a text in the pieces in which live models tell them: each with the space before it, and the last with what follows. */
export const toldWords = (text: string): RegExpExecArray[] => [...text.matchAll(/\s*\S+\s*$|\s*\S+/g)];
