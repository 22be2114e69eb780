/** Measures of breathing, in the category of the heart. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

/** Builds a volume of the lungs (litres). */
function createLungVolume(
  id: string,
  names: NameList,
  hue: number,
  plausible: readonly [number, number],
  codes: Row['codes']
): Row {
  return createRow(id, names, 'air-vent', hue, 'level', ['volume/l', 'volume/ml'], {
    unit: { shown: 'volume/l', offered: ['volume/l', 'volume/ml'] },
    plausible,
    possible: [0, 15],
    ...(codes && { codes })
  })
}

export const breathing = inCategory('heart', [
  createRow(
    'oxygen-saturation',
    ['Oxygen saturation', 'Sauerstoffsättigung', 'Saturation en oxygène'],
    'circle-percent',
    205,
    'level',
    ['ratio/percent'],
    {
      plausible: [85, 100],
      possible: [0, 100],
      normal: [95, 100],
      normalSource: 'WHO Pulse Oximetry Training Manual, 2011',
      codes: {
        loinc: ['59408-5', '2708-6', '2710-2'],
        snomed: ['431314004'],
        healthKit: ['HKQuantityTypeIdentifierOxygenSaturation'],
        healthConnect: ['OxygenSaturationRecord']
      }
    }
  ),
  createRow(
    'respiratory-rate',
    ['Breathing rate', 'Atemfrequenz', 'Fréquence respiratoire'],
    'wind',
    185,
    'level',
    ['frequency/brpm'],
    {
      isDefault: true,
      plausible: [6, 60],
      possible: [0, 200],
      // The range that scores 0.
      normal: [12, 20],
      normalSource: 'National Early Warning Score 2, Royal College of Physicians, 2017',
      codes: {
        loinc: ['9279-1'],
        snomed: ['86290005'],
        healthKit: ['HKQuantityTypeIdentifierRespiratoryRate'],
        healthConnect: ['RespiratoryRateRecord']
      }
    }
  ),
  createRow(
    'perfusion-index',
    ['Perfusion index', 'Perfusionsindex', 'Indice de perfusion'],
    'percent',
    0,
    'level',
    ['ratio/percent'],
    {
      plausible: [0, 25],
      possible: [0, 100],
      codes: { healthKit: ['HKQuantityTypeIdentifierPeripheralPerfusionIndex'] }
    }
  ),
  createRow(
    'peak-flow',
    ['Peak flow', 'Peak-Flow', 'Débit expiratoire de pointe'],
    'wind-arrow-down',
    170,
    'level',
    ['speed/lpm'],
    {
      plausible: [50, 900],
      possible: [0, 1500],
      codes: { healthKit: ['HKQuantityTypeIdentifierPeakExpiratoryFlowRate'] }
    }
  ),
  createLungVolume('fev1', ['FEV1', 'Einsekundenkapazität (FEV1)', 'VEMS'], 195, [0.3, 7], {
    loinc: ['20150-9'],
    healthKit: ['HKQuantityTypeIdentifierForcedExpiratoryVolume1']
  }),
  createLungVolume(
    'forced-vital-capacity',
    ['Forced vital capacity', 'Forcierte Vitalkapazität', 'Capacité vitale forcée'],
    215,
    [0.5, 9],
    {
      loinc: ['19868-9'],
      healthKit: ['HKQuantityTypeIdentifierForcedVitalCapacity']
    }
  )
])
