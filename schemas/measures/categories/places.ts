/** Measures of where people are and how they get there. */
import { createRow, inCategory } from '../rows/create-row.js'
import { elevation } from '../rows/units.js'

const position = { fields: ['latitude', 'longitude'] } as const

export const places = inCategory('places', [
  createRow('position', ['Position', 'Standort', 'Position'], 'map-pin', 130, 'place', ['position/wgs84'], {
    isDefault: true,
    ...position
  }),
  createRow(
    'visit',
    ['Visits', 'Besuchte Orte', 'Lieux visités'],
    'map-pinned',
    160,
    'place',
    ['position/wgs84'],
    position
  ),
  createRow(
    'saved-place',
    ['Saved places', 'Gespeicherte Orte', 'Lieux enregistrés'],
    'bookmark',
    40,
    'place',
    ['position/wgs84'],
    position
  ),
  createRow('trip', ['Trips', 'Fahrten und Wege', 'Trajets'], 'route', 210, 'span', ['activity/plain']),
  createRow(
    'altitude',
    ['Altitude', 'Höhe', 'Altitude'],
    'mountain',
    100,
    'level',
    ['length/m', 'length/ft', 'length/km'],
    {
      unit: elevation,
      plausible: [-430, 13_000],
      possible: [-12_000, 1_000_000]
    }
  )
])
