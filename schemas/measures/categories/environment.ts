/** Measures of the surroundings: air, weather, noise, light, and what a household uses. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'
import { duration, minutes, temperature, temperatures } from '../rows/units.js'

/** Returns the row of a measure of temperatures. `plausible`: degrees Celsius. */
function createTemperature(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  plausible: readonly [number, number],
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'level', temperatures, {
    unit: temperature,
    plausible,
    possible: [-100, 150],
    ...(codes && { codes })
  })
}

/** Builds a value that is a plain number in the unit that its name says. */
function createNumber(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  plausible: readonly [number, number],
  largest: number,
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'level', ['count/generic'], {
    plausible,
    possible: [0, largest],
    ...(codes && { codes })
  })
}

/** Builds a sound level (dB). */
function createLevel(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  plausible: readonly [number, number],
  healthKit: string
): Row {
  return createRow(id, names, icon, hue, 'level', ['pressure/db'], {
    plausible,
    possible: [-20, 200],
    codes: { healthKit: [`HKQuantityTypeIdentifier${healthKit}`] }
  })
}

function createHumidity(id: string, names: NameList, hue: number): Row {
  return createRow(id, names, 'droplets', hue, 'level', ['ratio/percent'], {
    plausible: [5, 100],
    possible: [0, 100]
  })
}

export const environment = inCategory('environment', [
  createTemperature(
    'air-temperature',
    ['Air temperature', 'Lufttemperatur', 'Température de l’air'],
    'thermometer',
    195,
    [-40, 50]
  ),
  createTemperature(
    'room-temperature',
    ['Room temperature', 'Raumtemperatur', 'Température intérieure'],
    'house',
    30,
    [5, 40]
  ),
  createTemperature(
    'water-temperature',
    ['Water temperature', 'Wassertemperatur', 'Température de l’eau'],
    'waves',
    200,
    [-2, 45],
    {
      healthKit: ['HKQuantityTypeIdentifierWaterTemperature']
    }
  ),
  createHumidity('air-humidity', ['Humidity', 'Luftfeuchtigkeit', 'Humidité'], 205),
  createHumidity('room-humidity', ['Room humidity', 'Raumfeuchtigkeit', 'Humidité intérieure'], 220),
  createRow(
    'air-pressure',
    ['Air pressure', 'Luftdruck', 'Pression atmosphérique'],
    'circle-gauge',
    235,
    'level',
    ['pressure/kpa', 'pressure/pa', 'pressure/mmhg', 'pressure/inhg', 'pressure/bar'],
    {
      unit: {
        shown: 'pressure/kpa',
        byRegion: { US: 'pressure/inhg' },
        offered: ['pressure/kpa', 'pressure/mmhg', 'pressure/inhg', 'pressure/bar']
      },
      plausible: [50, 110],
      possible: [0, 1000]
    }
  ),
  createNumber(
    'carbon-dioxide',
    ['Carbon dioxide (ppm)', 'Kohlendioxid (ppm)', 'Dioxyde de carbone (ppm)'],
    'cloud',
    150,
    [350, 5000],
    1_000_000
  ),
  createNumber('uv-index', ['UV index', 'UV-Index', 'Indice UV'], 'sun', 280, [0, 14], 50, {
    healthKit: ['HKQuantityTypeIdentifierUVExposure']
  }),
  createLevel(
    'noise',
    ['Noise level', 'Lärmpegel', 'Niveau sonore'],
    'ear',
    10,
    [15, 120],
    'EnvironmentalAudioExposure'
  ),
  createLevel(
    'headphone-level',
    ['Headphone volume', 'Kopfhörerlautstärke', 'Volume du casque'],
    'headphones',
    300,
    [10, 115],
    'HeadphoneAudioExposure'
  ),
  createLevel(
    'noise-reduction',
    ['Noise reduction', 'Lärmminderung', 'Réduction du bruit'],
    'headphone-off',
    320,
    [0, 60],
    'EnvironmentalSoundReduction'
  ),
  createRow(
    'daylight-time',
    ['Time in daylight', 'Zeit im Tageslicht', 'Temps à la lumière du jour'],
    'sun',
    45,
    'sum',
    minutes,
    {
      unit: duration,
      plausible: [0, 960],
      possible: [0, 1500],
      codes: { healthKit: ['HKQuantityTypeIdentifierTimeInDaylight'] }
    }
  ),
  createRow(
    'electricity',
    ['Electricity used', 'Stromverbrauch', 'Électricité consommée'],
    'plug-zap',
    55,
    'sum',
    ['energy/kwh', 'energy/wh'],
    {
      unit: { shown: 'energy/kwh', offered: ['energy/kwh', 'energy/wh'] },
      plausible: [0, 1000],
      possible: [0, 1_000_000]
    }
  )
])
