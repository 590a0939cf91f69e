import type { Language } from '../pipeline/language.js';

/** Of what the bot says by itself where it has no answer: that it has not understood the caller, or cannot answer them; or that what was recorded is removed. */
export type OwnSentence = 'not_understood' | 'cannot_answer' | 'recording_removed';

const SENTENCES: Readonly<Record<OwnSentence, Readonly<Record<Language, string>>>> = {
  not_understood: {
    en: 'Sorry, I did not get that. Could you say it again, please?',
    de: 'Entschuldigung, das habe ich nicht verstanden. Können Sie das bitte noch einmal sagen?',
    es: 'Perdón, no le he entendido. ¿Puede repetirlo, por favor?',
    fr: "Excusez-moi, je n'ai pas compris. Pouvez-vous répéter, s'il vous plaît ?",
    it: 'Mi scusi, non ho capito. Può ripetere, per favore?',
  },
  cannot_answer: {
    en: 'I am sorry, I cannot answer that. Is there something else I can do for you?',
    de: 'Es tut mir leid, darauf kann ich nicht antworten. Kann ich sonst etwas für Sie tun?',
    es: 'Lo siento, no puedo responder a eso. ¿Puedo ayudarle en algo más?',
    fr: 'Je regrette, je ne peux pas répondre à cela. Puis-je vous aider pour autre chose ?',
    it: 'Mi dispiace, non posso rispondere a questo. Posso aiutarla in altro modo?',
  },
  recording_removed: {
    en: 'This call is not recorded any more, and what was recorded has been deleted.',
    de: 'Das Gespräch wird nicht mehr aufgezeichnet, und die Aufnahme ist gelöscht.',
    es: 'La llamada ya no se graba, y lo grabado se ha borrado.',
    fr: "L'appel n'est plus enregistré, et l'enregistrement a été supprimé.",
    it: 'La chiamata non viene più registrata, e la registrazione è stata cancellata.',
  },
};

/** What the bot's voice says then. */
export const ownSentence = (which: OwnSentence, language: Language): string => SENTENCES[which][language];
