/** Activities by sport, in the category of activity. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

/** Builds an activity: a period, named by its stream. */
function createSport(id: string, names: NameList, icon: string, hue: number, hds?: string): Row {
  return createRow(
    id,
    names,
    icon,
    hue,
    'span',
    ['activity/plain'],
    hds === undefined ? {} : { codes: { hds: [hds] } }
  )
}

export const sports = inCategory('activity', [
  createRow(
    'activity',
    ['Activities', 'Aktivitäten', 'Activités'],
    'sport-shoe',
    100,
    'span',
    ['activity/plain'],
    {
      isDefault: true,
      codes: { healthKit: ['HKWorkoutTypeIdentifier'], healthConnect: ['ExerciseSessionRecord'] }
    }
  ),
  createSport('walking', ['Walking', 'Gehen', 'Marche'], 'footprints', 130),
  createSport('running', ['Running', 'Laufen', 'Course à pied'], 'sport-shoe', 25, 'activity-jogging'),
  createSport('hiking', ['Hiking', 'Wandern', 'Randonnée'], 'hiking-stick', 90, 'activity-hiking'),
  createSport('cycling', ['Cycling', 'Radfahren', 'Vélo'], 'bike', 210, 'activity-cycling'),
  createSport('swimming', ['Swimming', 'Schwimmen', 'Natation'], 'waves', 215, 'activity-swimming'),
  createSport(
    'strength-training',
    ['Strength training', 'Krafttraining', 'Musculation'],
    'dumbbell',
    340,
    'activity-weights'
  ),
  createSport('yoga', ['Yoga', 'Yoga', 'Yoga'], 'flower', 300, 'activity-yoga'),
  createSport('dancing', ['Dancing', 'Tanzen', 'Danse'], 'music', 310)
])
