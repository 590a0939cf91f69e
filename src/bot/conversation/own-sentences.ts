import type { Language } from '../pipeline/language.js';

/**
 * Of what the bot says by itself: that it has not understood the caller, or cannot answer them; what became of their wish not to be called
 * again; or that what was recorded is removed.
 */
export type OwnSentence =
  | 'not_understood'
  | 'cannot_answer'
  | 'do_not_call_listed'
  | 'do_not_call_withheld'
  | 'do_not_call_failed'
  | 'recording_removed';

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
  do_not_call_listed: {
    en: 'Your number is on our do-not-call list now. We will not call you again.',
    de: 'Ihre Nummer steht jetzt auf unserer Sperrliste. Wir rufen Sie nicht wieder an.',
    es: 'Su número ya está en nuestra lista de exclusión. No volveremos a llamarle.',
    fr: "Votre numéro figure maintenant sur notre liste d'opposition. Nous ne vous appellerons plus.",
    it: 'Il suo numero è ora nella nostra lista di esclusione. Non la chiameremo più.',
  },
  do_not_call_withheld: {
    en: 'Your number is withheld, so I cannot put it on our do-not-call list. Please call us with your number shown.',
    de: 'Ihre Nummer ist unterdrückt, deshalb kann ich sie nicht sperren. Rufen Sie uns bitte mit sichtbarer Nummer an.',
    es: 'Su número está oculto y no puedo ponerlo en nuestra lista de exclusión. Llámenos, por favor, con su número visible.',
    fr: "Votre numéro est masqué, je ne peux donc pas l'inscrire sur notre liste d'opposition. Appelez-nous avec un numéro visible, s'il vous plaît.",
    it: 'Il suo numero è nascosto e non posso metterlo nella nostra lista di esclusione. Ci chiami, per favore, con il numero visibile.',
  },
  do_not_call_failed: {
    en: 'I am sorry, I could not put your number on our do-not-call list just now. Please tell us again.',
    de: 'Es tut mir leid, ich konnte Ihre Nummer gerade nicht sperren. Bitte sagen Sie es uns noch einmal.',
    es: 'Lo siento, ahora no he podido poner su número en nuestra lista de exclusión. Díganoslo otra vez, por favor.',
    fr: "Je regrette, je n'ai pas pu inscrire votre numéro sur notre liste d'opposition. Redites-le nous, s'il vous plaît.",
    it: 'Mi dispiace, ora non ho potuto mettere il suo numero nella nostra lista di esclusione. Ce lo ripeta, per favore.',
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
