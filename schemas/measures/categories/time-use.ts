/** Measures of how people spend their time. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'
import { hours, longDuration } from '../rows/units.js'

/** Builds a period spent on something. */
function createSpan(id: string, names: NameList, icon: string, hue: number, codes?: Row['codes']): Row {
  return createRow(id, names, icon, hue, 'span', ['activity/plain'], codes && { codes })
}

/** Builds something that happens, with a text. */
function createText(id: string, names: NameList, icon: string, hue: number, types: readonly string[]): Row {
  return createRow(id, names, icon, hue, 'text', types, { isDefault: true })
}

export const timeUse = inCategory('time-use', [
  createSpan('meditation', ['Meditation', 'Meditation', 'Méditation'], 'flower-2', 275, {
    healthKit: ['HKCategoryTypeIdentifierMindfulSession'],
    healthConnect: ['MindfulnessSessionRecord']
  }),
  createRow(
    'screen-time',
    ['Screen time', 'Bildschirmzeit', 'Temps d’écran'],
    'smartphone',
    220,
    'sum',
    hours,
    {
      unit: longDuration,
      plausible: [0, 18],
      possible: [0, 25]
    }
  ),
  createSpan('work', ['Work', 'Arbeit', 'Travail'], 'briefcase', 210),
  createSpan('study', ['Learning', 'Lernen', 'Apprentissage'], 'graduation-cap', 240),
  createSpan('reading', ['Reading', 'Lesen', 'Lecture'], 'book-open', 25),
  createSpan('housework', ['Housework', 'Hausarbeit', 'Tâches ménagères'], 'house', 150),
  createSpan('commute', ['Commuting', 'Arbeitsweg', 'Trajet domicile-travail'], 'train-front', 195),
  createSpan('family-time', ['Time with family', 'Zeit mit der Familie', 'Temps en famille'], 'users', 340),
  createSpan(
    'social-time',
    ['Time with friends', 'Zeit mit Freunden', 'Temps entre amis'],
    'party-popper',
    320
  ),
  createSpan('appointment', ['Appointments', 'Termine', 'Rendez-vous'], 'calendar', 205),
  createSpan('task', ['Tasks', 'Aufgaben', 'Tâches'], 'list-checks', 165),
  createRow('habit', ['Habits', 'Gewohnheiten', 'Habitudes'], 'repeat', 95, 'category', ['boolean/bool']),
  createText('call', ['Calls', 'Anrufe', 'Appels'], 'phone', 145, ['call/name', 'call/telephone']),
  createText('email', ['Emails', 'E-Mails', 'E-mails'], 'mail', 215, ['message/email']),
  createText('music', ['Music', 'Musik', 'Musique'], 'music', 310, ['music/basic'])
])
