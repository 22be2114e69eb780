/** The texts of letters, in the languages in which they are written. */
import type { LetterSettings } from '../../schemas/plans/letter.js'

/** A text with a count. */
type Counted = (count: number) => string

export interface LetterTexts {
  readonly ready: string
  readonly readyText: string
  readonly title: (from: string, to: string) => string
  readonly different: string
  readonly usual: string
  readonly unknown: string
  readonly lower: (value: string, low: string, high: string) => string
  readonly higher: (value: string, low: string, high: string) => string
  readonly missing: Counted
  readonly noData: string
  readonly records: Counted
  readonly goals: string
  readonly goalDays: (reached: number, total: number) => string
  readonly goalReached: string
  readonly goalMissed: string
  readonly nights: string
  /** `begin` and `end`: times of day, or `23:10 (22:40 to 23:50)`. */
  readonly nightTimes: (begin: string, end: string) => string
  /** A time of day between two others. */
  readonly timeBetween: (times: Times) => string
  readonly places: Counted
  readonly looked: string
  readonly lookedDays: Counted
  readonly nobody: string
  readonly hours: (hours: number, minutes: string) => string
}

/** Times of day. */
export interface Times {
  readonly earliest: string
  readonly latest: string
  readonly median: string
}

const all: Readonly<Record<LetterSettings['language'], LetterTexts>> = {
  en: {
    ready: 'Your week is ready',
    readyText: 'It compares the last seven days with the four weeks before.',
    title: (from, to) => `Your week from ${from} to ${to}`,
    different: 'What was different',
    usual: 'In the usual range',
    unknown: 'Too few days to compare',
    lower: (value, low, high) => `${value}, lower than usual: usually ${low} to ${high}.`,
    higher: (value, low, high) => `${value}, higher than usual: usually ${low} to ${high}.`,
    missing: count => (count === 1 ? '1 day is missing.' : `${count} days are missing.`),
    noData: 'no data this week.',
    records: count => (count === 1 ? '1 event' : `${count} events`),
    goals: 'Goals',
    goalDays: (reached, total) => `reached on ${reached} of ${total} ${total === 1 ? 'day' : 'days'}`,
    goalReached: 'reached this week',
    goalMissed: 'not reached this week',
    nights: 'Nights',
    nightTimes: (begin, end) => `Nights began at ${begin} and ended at ${end}.`,
    timeBetween: ({ earliest, latest, median }) => `${median} (${earliest} to ${latest})`,
    places: count => (count === 1 ? 'You were at 1 place.' : `You were at ${count} places.`),
    looked: 'Who viewed your data',
    lookedDays: count => (count === 1 ? 'on 1 day' : `on ${count} days`),
    nobody: 'Nobody.',
    hours: (hours, minutes) => `${hours} h ${minutes} min`
  },
  de: {
    ready: 'Ihre Woche ist da',
    readyText: 'Sie vergleicht die letzten sieben Tage mit den vier Wochen davor.',
    title: (from, to) => `Ihre Woche vom ${from} bis ${to}`,
    different: 'Was anders war',
    usual: 'Im üblichen Bereich',
    unknown: 'Zu wenige Tage für einen Vergleich',
    lower: (value, low, high) => `${value}, tiefer als üblich: sonst ${low} bis ${high}.`,
    higher: (value, low, high) => `${value}, höher als üblich: sonst ${low} bis ${high}.`,
    missing: count => (count === 1 ? '1 Tag fehlt.' : `${count} Tage fehlen.`),
    noData: 'diese Woche keine Daten.',
    records: count => (count === 1 ? '1 Ereignis' : `${count} Ereignisse`),
    goals: 'Ziele',
    goalDays: (reached, total) => `an ${reached} von ${total} ${total === 1 ? 'Tag' : 'Tagen'} erreicht`,
    goalReached: 'diese Woche erreicht',
    goalMissed: 'diese Woche nicht erreicht',
    nights: 'Nächte',
    nightTimes: (begin, end) => `Die Nächte begannen um ${begin} und endeten um ${end}.`,
    timeBetween: ({ earliest, latest, median }) => `${median} (${earliest} bis ${latest})`,
    places: count => (count === 1 ? 'Sie waren an 1 Ort.' : `Sie waren an ${count} Orten.`),
    looked: 'Wer Ihre Daten angesehen hat',
    lookedDays: count => (count === 1 ? 'an 1 Tag' : `an ${count} Tagen`),
    nobody: 'Niemand.',
    hours: (hours, minutes) => `${hours} h ${minutes} min`
  },
  fr: {
    ready: 'Votre semaine est prête',
    readyText: 'Elle compare les sept derniers jours avec les quatre semaines précédentes.',
    title: (from, to) => `Votre semaine du ${from} au ${to}`,
    different: 'Ce qui a changé',
    usual: 'Dans la plage habituelle',
    unknown: 'Trop peu de jours pour comparer',
    lower: (value, low, high) => `${value}, plus bas que d’habitude : en général de ${low} à ${high}.`,
    higher: (value, low, high) => `${value}, plus haut que d’habitude : en général de ${low} à ${high}.`,
    missing: count => (count === 1 ? 'Il manque 1 jour.' : `Il manque ${count} jours.`),
    noData: 'aucune donnée cette semaine.',
    records: count => (count === 1 ? '1 événement' : `${count} événements`),
    goals: 'Objectifs',
    goalDays: (reached, total) => `atteint ${reached} ${reached < 2 ? 'jour' : 'jours'} sur ${total}`,
    goalReached: 'atteint cette semaine',
    goalMissed: 'pas atteint cette semaine',
    nights: 'Nuits',
    nightTimes: (begin, end) => `Les nuits ont commencé à ${begin} et se sont terminées à ${end}.`,
    timeBetween: ({ earliest, latest, median }) => `${median} (de ${earliest} à ${latest})`,
    places: count => (count === 1 ? 'Vous avez été à 1 endroit.' : `Vous avez été à ${count} endroits.`),
    looked: 'Qui a consulté vos données',
    lookedDays: count => (count === 1 ? '1 jour' : `${count} jours`),
    nobody: 'Personne.',
    hours: (hours, minutes) => `${hours} h ${minutes} min`
  }
}

/** Returns the texts in a language. */
export function getLetterTexts(language: LetterSettings['language']): LetterTexts {
  return all[language]
}
