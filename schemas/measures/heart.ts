/** Measures of heart, circulation and breathing. */
import { inCategory, type Measure } from './measure.js'

export const heart: readonly Measure[] = inCategory('heart', [
  {
    id: 'heart-rate',
    names: { en: 'Heart rate', de: 'Herzfrequenz', fr: 'Fréquence cardiaque' },
    icon: 'heart-pulse',
    hue: 350,
    kind: 'level',
    types: ['frequency/bpm'],
    isDefault: true,
    plausible: [35, 210],
    possible: [5, 400],
    codes: {
      loinc: ['8867-4'],
      snomed: ['364075005'],
      healthKit: ['HKQuantityTypeIdentifierHeartRate'],
      healthConnect: ['HeartRateRecord']
    }
  },
  {
    id: 'resting-heart-rate',
    names: { en: 'Resting heart rate', de: 'Ruhepuls', fr: 'Fréquence cardiaque au repos' },
    icon: 'heart',
    hue: 335,
    kind: 'level',
    types: ['frequency/bpm'],
    plausible: [35, 110],
    possible: [5, 400],
    codes: {
      loinc: ['40443-4'],
      healthKit: ['HKQuantityTypeIdentifierRestingHeartRate'],
      healthConnect: ['RestingHeartRateRecord']
    }
  },
  {
    id: 'heart-rate-variability',
    names: {
      en: 'Heart rate variability',
      de: 'Herzfrequenzvariabilität',
      fr: 'Variabilité de la fréquence cardiaque'
    },
    icon: 'activity',
    hue: 320,
    kind: 'level',
    types: ['time/ms', 'time/s'],
    unit: { shown: 'time/ms', offered: ['time/ms'] },
    plausible: [5, 250],
    possible: [0, 2000],
    codes: { healthConnect: ['HeartRateVariabilityRmssdRecord'] }
  },
  {
    id: 'blood-pressure',
    names: { en: 'Blood pressure', de: 'Blutdruck', fr: 'Tension artérielle' },
    icon: 'gauge',
    hue: 5,
    kind: 'pair',
    types: ['blood-pressure/mmhg-bpm'],
    fields: ['systolic', 'diastolic'],
    isDefault: true,
    plausible: [35, 230],
    possible: [5, 400],
    codes: {
      loinc: ['85354-9', '55284-4', '8480-6', '8462-4'],
      snomed: ['75367002'],
      healthKit: [
        'HKCorrelationTypeIdentifierBloodPressure',
        'HKQuantityTypeIdentifierBloodPressureSystolic',
        'HKQuantityTypeIdentifierBloodPressureDiastolic'
      ],
      healthConnect: ['BloodPressureRecord'],
      hds: ['body-blood-pressure']
    }
  },
  {
    id: 'oxygen-saturation',
    names: { en: 'Oxygen saturation', de: 'Sauerstoffsättigung', fr: 'Saturation en oxygène' },
    icon: 'circle-percent',
    hue: 205,
    kind: 'level',
    types: ['ratio/percent'],
    plausible: [85, 100],
    possible: [0, 100],
    codes: {
      loinc: ['59408-5', '2708-6', '2710-2'],
      snomed: ['431314004'],
      healthKit: ['HKQuantityTypeIdentifierOxygenSaturation'],
      healthConnect: ['OxygenSaturationRecord']
    }
  },
  {
    id: 'respiratory-rate',
    names: { en: 'Breathing rate', de: 'Atemfrequenz', fr: 'Fréquence respiratoire' },
    icon: 'wind',
    hue: 185,
    kind: 'level',
    types: ['frequency/brpm'],
    isDefault: true,
    plausible: [6, 60],
    possible: [0, 200],
    codes: {
      loinc: ['9279-1'],
      snomed: ['86290005'],
      healthKit: ['HKQuantityTypeIdentifierRespiratoryRate'],
      healthConnect: ['RespiratoryRateRecord']
    }
  }
])
