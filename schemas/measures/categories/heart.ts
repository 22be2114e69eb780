/** Measures of heart and circulation. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

/** Builds a heart rate (beats per minute). */
function createRate(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  plausible: readonly [number, number],
  others: Partial<Row> = {}
): Row {
  const types = ['frequency/bpm']
  return createRow(id, names, icon, hue, 'level', types, { plausible, possible: [5, 400], ...others })
}

/** Builds a time between heartbeats or its variability (milliseconds). */
function createInterval(
  id: string,
  names: NameList,
  hue: number,
  plausible: readonly [number, number],
  largest: number,
  codes?: Row['codes']
): Row {
  return createRow(id, names, 'activity', hue, 'level', ['time/ms', 'time/s'], {
    unit: { shown: 'time/ms', offered: ['time/ms'] },
    plausible,
    possible: [0, largest],
    ...(codes && { codes })
  })
}

export const heart = inCategory('heart', [
  createRate(
    'heart-rate',
    ['Heart rate', 'Herzfrequenz', 'Fréquence cardiaque'],
    'heart-pulse',
    350,
    [30, 220],
    {
      isDefault: true,
      codes: {
        loinc: ['8867-4'],
        snomed: ['364075005'],
        healthKit: ['HKQuantityTypeIdentifierHeartRate'],
        healthConnect: ['HeartRateRecord']
      }
    }
  ),
  createRate(
    'resting-heart-rate',
    ['Resting heart rate', 'Ruheherzfrequenz', 'Fréquence cardiaque au repos'],
    'heart',
    335,
    [35, 110],
    {
      normal: [50, 100],
      // Sinus bradycardia is below 50, sinus tachycardia above 100.
      normalSource:
        '2018 ACC/AHA/HRS Guideline on Bradycardia; 2015 ACC/AHA/HRS Guideline on Supraventricular Tachycardia',
      codes: {
        loinc: ['40443-4'],
        healthKit: ['HKQuantityTypeIdentifierRestingHeartRate'],
        healthConnect: ['RestingHeartRateRecord']
      }
    }
  ),
  createRow(
    'blood-pressure',
    ['Blood pressure', 'Blutdruck', 'Tension artérielle'],
    'gauge',
    5,
    'pair',
    ['blood-pressure/mmhg-bpm'],
    {
      fields: ['systolic', 'diastolic'],
      isDefault: true,
      plausible: [35, 230],
      possible: [5, 400],
      // Normal is below 120 and below 80, low below 90 or below 60.
      normal: [
        [90, 119],
        [60, 79]
      ],
      normalSource:
        '2017 ACC/AHA Guideline for High Blood Pressure in Adults; National Heart, Lung, and Blood Institute',
      codes: {
        loinc: ['85354-9', '55284-4', '8480-6', '8462-4'],
        snomed: ['75367002', '271649006', '271650006'],
        healthKit: [
          'HKCorrelationTypeIdentifierBloodPressure',
          'HKQuantityTypeIdentifierBloodPressureSystolic',
          'HKQuantityTypeIdentifierBloodPressureDiastolic'
        ],
        healthConnect: ['BloodPressureRecord'],
        hds: ['body-blood-pressure']
      }
    }
  ),
  createInterval(
    'heart-rate-variability',
    ['Heart rate variability', 'Herzfrequenzvariabilität', 'Variabilité de la fréquence cardiaque'],
    320,
    [3, 250],
    2000,
    {
      healthConnect: ['HeartRateVariabilityRmssdRecord']
    }
  ),
  createInterval(
    'heart-rate-variability-sdnn',
    [
      'Heart rate variability (SDNN)',
      'Herzfrequenzvariabilität (SDNN)',
      'Variabilité de la fréquence cardiaque (SDNN)'
    ],
    305,
    [3, 300],
    2000,
    {
      loinc: ['80404-7'],
      healthKit: ['HKQuantityTypeIdentifierHeartRateVariabilitySDNN']
    }
  ),
  createInterval(
    'sleeping-heart-rate-variability',
    [
      'Heart rate variability in sleep',
      'Herzfrequenzvariabilität im Schlaf',
      'Variabilité de la fréquence cardiaque pendant le sommeil'
    ],
    275,
    [3, 250],
    2000
  ),
  createInterval(
    'beat-interval',
    ['Beat-to-beat intervals', 'RR-Intervalle', 'Intervalles RR'],
    290,
    [270, 2000],
    12_000
  ),
  createRate(
    'walking-heart-rate',
    ['Walking heart rate', 'Herzfrequenz beim Gehen', 'Fréquence cardiaque à la marche'],
    'heart-pulse',
    20,
    [50, 170],
    {
      codes: { healthKit: ['HKQuantityTypeIdentifierWalkingHeartRateAverage'] }
    }
  ),
  createRate(
    'sleeping-heart-rate',
    ['Heart rate in sleep', 'Herzfrequenz im Schlaf', 'Fréquence cardiaque pendant le sommeil'],
    'heart',
    250,
    [30, 110]
  ),
  createRate(
    'workout-heart-rate',
    ['Heart rate in workouts', 'Herzfrequenz beim Training', 'Fréquence cardiaque à l’effort'],
    'heart-pulse',
    35,
    [50, 220]
  ),
  createRate(
    'average-heart-rate',
    ['Average heart rate', 'Mittlere Herzfrequenz', 'Fréquence cardiaque moyenne'],
    'heart',
    305,
    [35, 200]
  ),
  createRate(
    'highest-heart-rate',
    ['Highest heart rate', 'Höchste Herzfrequenz', 'Fréquence cardiaque la plus haute'],
    'heart-plus',
    0,
    [50, 230]
  ),
  createRate(
    'lowest-heart-rate',
    ['Lowest heart rate', 'Niedrigste Herzfrequenz', 'Fréquence cardiaque la plus basse'],
    'heart-minus',
    225,
    [25, 110]
  ),
  createRate(
    'heart-rate-recovery',
    ['Heart rate recovery', 'Herzfrequenzerholung', 'Récupération cardiaque'],
    'heart-handshake',
    145,
    [0, 80],
    {
      possible: [-100, 250],
      codes: { healthKit: ['HKQuantityTypeIdentifierHeartRateRecoveryOneMinute'] }
    }
  ),
  createRow(
    'atrial-fibrillation-burden',
    ['Time in atrial fibrillation', 'Zeit mit Vorhofflimmern', 'Temps en fibrillation atriale'],
    'heart-crack',
    345,
    'level',
    ['ratio/percent'],
    {
      plausible: [0, 100],
      possible: [0, 100],
      codes: { healthKit: ['HKQuantityTypeIdentifierAtrialFibrillationBurden'] }
    }
  ),
  createRow(
    'electrocardiogram',
    ['Electrocardiogram', 'EKG', 'Électrocardiogramme'],
    'square-activity',
    120,
    'level',
    ['electromotive-force/v'],
    {
      plausible: [-0.01, 0.01],
      possible: [-1, 1],
      codes: { healthKit: ['HKDataTypeIdentifierElectrocardiogram'] }
    }
  ),
  createRow(
    'electrocardiogram-result',
    ['Electrocardiogram results', 'EKG-Befunde', 'Résultats d’électrocardiogramme'],
    'file-heart',
    120,
    'text',
    ['note/txt']
  )
])
