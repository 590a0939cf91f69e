import type { Sentences } from './sentences.js';

export const IT: Sentences = {
  asks: `Non mi chiami più.
Non mi chiamate più.
Per favore, non mi chiami più.
Non mi chiami mai più!
Non chiamatemi più.
Non chiamatemi mai più.
Non chiamarmi più.
Non ci chiamate più.
Non mi richiami più.
Non mi richiamate mai più.
Non richiamatemi più.
Non mi chiami di nuovo.
Non mi chiami un'altra volta.
Non mi telefoni più.
Non telefonatemi più.
Non mi contattate più.
Non mi disturbi più.
Non chiamate più questo numero.
Non chiami più a questo numero.
Non chiamate questo numero mai più.
Mai più mi chiami.
Smetta di chiamarmi.
La smetta di chiamarmi.
Smettetela di chiamarmi.
Smettete di telefonarci.
Smettila di chiamarmi.
Non voglio più essere chiamato.
Non voglio essere chiamata mai più.
Non desidero più essere contattato.
Non desideriamo essere richiamati.
Non voglio più che mi chiamiate.
Non voglio che mi chiamate più.
Non voglio più chiamate da voi.
Non voglio più ricevere chiamate.
Non voglio più ricevere le vostre telefonate.
Non voglio ricevere altre chiamate.
Basta chiamate, per favore.
Basta con queste telefonate.
Mi tolga dalla vostra lista.
Toglietemi dalla lista.
Cancellate il mio numero dal vostro database.
Mi cancelli dalla sua lista.
Rimuovete il mio numero dai vostri elenchi.
Elimini il mio numero.
Cancelli il mio numero, per favore.
Mi iscriva nel registro delle opposizioni.
Inseritemi nella lista di esclusione.
Mi oppongo a ulteriori chiamate.
Non mi interessa. Non mi chiami più, grazie.
Non mi chiami.`,
  others: `Non mi chiami prima delle nove.
Non mi chiami più prima delle nove.
Non mi chiami più tardi delle otto.
Mi chiami più tardi.
Mi richiami domani.
Mi chiami di nuovo domani.
Non mi chiami più oggi.
Non mi chiami oggi.
Non mi chiamate più questa settimana.
Non mi chiami più la sera.
Non mi chiamate più la domenica.
Non mi chiami più in ufficio.
Non mi chiami dopo le sei.
Non mi chiami mentre guido.
Non mi richiami fino a lunedì.
Non mi chiami più a quest'ora.
Non mi chiami più così presto.
Perché non mi chiamate più?
Perché non mi chiama più?
Come mai non mi chiamate più?
Quando mi richiamate?
Mio fratello non mi chiama più.
Lui non mi chiama più.
Lei ha detto: non mi chiami più.
Mia moglie dice non chiamatemi più.
Non la chiamo più.
Non chiamo più quel numero.
Non dimentichi di richiamarmi.
Non esiti a richiamarmi.
Non ho detto che non mi chiamate più.
Vorrei essere richiamato domani.
Non voglio essere chiamato adesso.
Non voglio essere chiamato prima di mezzogiorno.
Non voglio più caffè.
Non mi chiamo Paolo.
Non mi chiami signora.
Chiami di nuovo più tardi.
Smetta di parlare.
Tolga il latte dalla mia lista della spesa.
Mi metta nella lista d'attesa.
Cancelli il mio appuntamento.
Cancellate l'ordine.
Non ci sono più chiamate in coda.
Basta così, grazie.
Mi sente?
Non sento più niente.
Non mi chiami più se non è urgente.
Richiamatemi, per favore.`,
};
