import type { Sentences } from './sentences.js';

export const FR: Sentences = {
  asks: `Ne m'appelez plus.
Ne m'appelez plus jamais !
S'il vous plaît, ne m'appelez plus.
Ne me rappelez plus.
Ne me rappelez jamais.
Ne nous appelez plus.
Ne m'appelle plus.
Ne me téléphonez plus.
Ne me contactez plus.
Ne me dérangez plus, s'il vous plaît.
Ne me recontactez plus jamais.
N'appelez plus ici.
N'appelez plus ce numéro.
N'appelez plus jamais à ce numéro.
M'appelez plus !
Vous ne devez plus m'appeler.
Je ne veux plus être appelé.
Je ne veux plus être appelée par vous.
Je ne souhaite plus être contacté.
Nous ne souhaitons plus être contactés.
Je ne veux plus jamais être rappelé.
Je ne souhaite pas être rappelé.
Je ne veux plus que vous m'appeliez.
Je ne souhaite plus que vous me contactiez.
Je ne veux plus recevoir d'appels.
Je ne veux plus de vos appels.
Je ne souhaite plus recevoir vos appels.
Plus d'appels, s'il vous plaît.
Arrêtez de m'appeler.
Arrêtez de m'appeler, s'il vous plaît.
Cessez de m'appeler.
Arrêtez de nous appeler.
Arrêtez d'appeler ici.
Arrêtez ces appels.
Cessez vos appels.
Retirez-moi de votre liste.
Retirez mon numéro de votre liste, s'il vous plaît.
Supprimez mon numéro de votre base de données.
Enlevez-moi de vos fichiers.
Rayez-moi de votre liste.
Effacez mon numéro.
Inscrivez-moi sur la liste d'opposition.
Mettez-moi sur liste rouge.
Je m'oppose à tout démarchage téléphonique.
Ça ne m'intéresse pas. Ne m’appelez plus.
Ne m'appelez pas.`,
  others: `Ne m'appelez pas avant neuf heures.
Ne m'appelez plus avant neuf heures.
Ne m'appelez plus après dix-huit heures.
Rappelez-moi demain.
Rappelez-moi plus tard.
Ne m'appelez plus aujourd'hui.
Ne m'appelez plus cette semaine.
Ne m'appelez plus le dimanche.
Ne m'appelez plus au bureau.
Ne m'appelez pas maintenant.
Ne m'appelez pas plus tard que midi.
Ne me rappelez plus avant lundi, s'il vous plaît.
Ne m'appelez plus à cette heure.
Ne m'appelez plus aussi tôt.
Pourquoi ne m'appelez-vous plus ?
Pourquoi vous ne m'appelez plus ?
Vous ne m'appelez plus jamais.
Il ne m'appelle plus.
On ne m'appelle plus.
Elle m'a dit : ne m'appelez plus.
Mon mari dit ne nous appelez plus.
Je ne vous appelle plus.
Je n'appelle plus ce numéro.
N'oubliez pas de me rappeler.
N'hésitez pas à me rappeler.
Je n'ai pas dit ne m'appelez plus.
Je veux être rappelé demain.
Je ne veux pas être appelé avant midi.
Je ne souhaite pas être rappelé ce soir.
Appelez-moi plus souvent.
Ne m'appelez pas monsieur.
Mon fils ne m'appelle plus.
Je ne m'appelle plus Martin.
Je ne veux plus de café.
Arrêtez de parler.
Arrêtez la musique.
Retirez le lait de ma liste de courses.
Mettez-moi sur la liste d'attente.
Supprimez mon rendez-vous.
Effacez le message.
Quand allez-vous me rappeler ?
Est-ce que vous me rappelez ?
Je n'entends plus rien.
Il n'y a plus d'appels dans la file.
Rappelez-moi, je vous prie.
Ne raccrochez pas.
Ne m'appelez plus tant que le colis n'est pas là.`,
};
