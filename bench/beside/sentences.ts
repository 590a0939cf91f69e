/** What callers say, by how long it takes; the sound is another: only voices and times are its own. */
export const SHORT = [
  'On Friday evening.',
  'For four people.',
  'At half past seven.',
  'Yes, please.',
  'The second one.',
  'It is broken.',
  'No, thank you.',
  'In the morning.',
  'My wife called.',
  'I have two.',
];

export const MEDIUM = [
  'I would like to book a table.',
  'Can you tell me the price?',
  'My parcel has not arrived.',
  'We are coming by train.',
  'Is there parking near you?',
  'I need to change my appointment.',
  'The bill was paid in March.',
  'Do you have anything earlier?',
  'It stopped working yesterday.',
  'That sounds fine to me.',
];

export const LONG = [
  'I would like to book a table for four people on Friday.',
  'Could you tell me whether my parcel has been sent already?',
  'I paid this bill at the beginning of the month.',
  'It stopped working yesterday, right after the storm.',
  'What does it cost if I cancel before the end of the year?',
  'She told me to call back on Monday morning.',
  'I am not sure which of the two contracts it is.',
  'We moved to a new house, so the address is wrong.',
  'The driver left it with a neighbour last Tuesday.',
  'Is there a discount when I bring the old one back?',
];

/** Words that go on, as ears that punctuate end them at a pause, and what they go on with. */
export const GOING_ON: ReadonlyArray<readonly [open: string, rest: string]> = [
  ['I would like to come on Friday and', 'bring my brother with me.'],
  ['We need a room that is, um,', 'quiet and not too small.'],
  ['My number is five five five,', 'two three nine one.'],
  ['I called last week because', 'the heating does not work.'],
  ['If it rains tomorrow,', 'we will stay inside.'],
  ['Can you send it to', 'my office in the city?'],
  ['It was the blue one, but', 'I would take the green one.'],
  ['My name is spelled h, a, r,', 'p, e, r.'],
  ['I have been waiting for', 'more than two weeks.'],
  ['Please tell the doctor that', 'I will be a little late.'],
];

/** A sentence that seems finished, and what the caller adds. */
export const SEEMS_FINISHED: ReadonlyArray<readonly [finished: string, more: string]> = [
  ['I need a table for Friday.', 'It is for four people.'],
  ['My washing machine is broken.', 'It makes a terrible noise.'],
  ['I would like to cancel.', 'The order is from Monday.'],
  ['The parcel has not come.', 'I was at home all day.'],
  ['I want to see the doctor.', 'Tomorrow would be best.'],
  ['We are moving in June.', 'The new address is in Portland.'],
  ['I paid the bill twice.', 'Please send it back.'],
  ['The line is very slow.', 'It started last night.'],
  ['I have lost my key.', 'It was on a red ring.'],
  ['Our flight was late.', 'We missed the last train.'],
];

/** What a listener says who does not want to speak. */
export const BACKCHANNELS = ['Uh-huh.', 'Mm-hmm.', 'Okay.', 'Yeah.', 'Right.', 'Mm.'];
