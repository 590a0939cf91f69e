import type { Sentences } from './sentences.js';

export const ES: Sentences = {
  asks: `No me llame más.
No me llamen más.
No me llames más.
Por favor, no me llame más.
No me vuelva a llamar.
No me vuelvan a llamar.
No me vuelvas a llamar nunca más.
No nos vuelvan a llamar.
No vuelvan a llamar a este número.
No vuelva a llamarme.
No me llame nunca más.
No me llame otra vez.
No me llamen de nuevo, por favor.
No llame más a este número.
No llamen a este número nunca más.
No llamen más aquí.
Nunca más me llamen.
Nunca me vuelvan a llamar.
No quiero que me llamen más.
No quiero que me vuelvan a llamar.
No quiero que me llame nunca más.
No deseo que me vuelvan a contactar.
No quiero más llamadas.
No quiero recibir más llamadas de ustedes.
No deseo recibir más llamadas comerciales.
No queremos más llamadas suyas.
No más llamadas, por favor.
Deje de llamarme.
Dejen de llamarme.
Dejen ya de llamarnos.
Deja de llamarme.
Quíteme de su lista.
Quiten mi número de su lista, por favor.
Sáqueme de su base de datos.
Bórreme de su lista.
Borren mi número de su base de datos.
Elimine mi número.
Eliminen mis datos de su sistema.
Póngame en la lista Robinson.
Apúnteme en la lista de exclusión.
No me contacten más.
No me moleste más.
No me interesa. No me vuelvan a llamar.
¡No me llame!
Oiga, no me llame más, por favor.`,
  others: `No me llame antes de las nueve.
No me llame más tarde de las ocho.
No me llame más tarde, llámeme ahora.
Llámeme otra vez mañana.
Llámeme de nuevo, por favor.
Vuelva a llamarme mañana.
Vuelva a llamar, por favor.
No me llame hoy.
No me llamen más hoy.
No me vuelva a llamar hasta el lunes.
No me llame por la noche.
No me llame más por la noche.
No me llamen más los domingos.
No me llamen más al trabajo.
No me llame mientras conduzco.
No me vuelvan a llamar a esta hora.
No me vuelvan a llamar tan temprano.
¿Por qué no me llaman más?
¿Por qué no me vuelven a llamar?
¿Cuándo me vuelven a llamar?
Mi hermana dijo que no la llamen más.
Él dijo: no me llame más.
Mi marido dice no me llamen más.
Yo no llamo más a ese número.
Mis hijos ya no me llaman.
No me llamo Pedro.
No me llama nadie.
No olvide volver a llamarme.
No dude en volver a llamarme.
No quiero más café.
No quiero que me llamen mañana.
No quiero que me llamen más esta semana.
No he dicho que no me llamen más.
Quite la leche de mi lista de compras.
Quite la cita del viernes.
Borre mi cita.
Póngame en la lista de espera.
Deje de hablar, por favor.
No me llame señor.
Ya no me llama más mi hijo.
No llamo más.
Deje un mensaje y le llamo de nuevo.
No puedo oírle, llámeme de nuevo.
No vuelvo a llamar.
No me llame más si no es urgente.
Llame más tarde.
No hay más llamadas en la lista.`,
};
