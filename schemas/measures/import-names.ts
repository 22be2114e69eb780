/** Finds the measure of records that imports read, by the name of their stream and their type. */
import { measures } from './catalogue.js'
import type { Measure } from './measure.js'

/** Names that imports write besides the English name of a measure and those of HealthKit, by measure. */
const importNames: Readonly<Record<string, readonly string[]>> = {
  weight: ['Weight body mass'],
  'body-water-share': ['Body water'],
  'muscle-share': ['Muscle'],
  'fat-mass': ['Body fat mass'],
  'lean-body-mass': ['Fat free mass'],
  waist: ['Waist'],
  hips: ['Hip'],
  chest: ['Chest'],
  thigh: ['Thigh'],
  'upper-arm': ['Biceps'],
  neck: ['Neck'],
  'basal-metabolic-power': ['Basal metabolic rate'],
  'heart-rate': ['Heart rate of days'],
  'average-heart-rate': ['Heart rate, average'],
  'highest-heart-rate': ['Heart rate, maximum', 'Heart rate, highest'],
  'lowest-heart-rate': ['Heart rate, minimum', 'Heart rate, lowest'],
  'sleeping-heart-rate': ['Heart rate of nights'],
  'workout-heart-rate': ['Heart rate of workouts'],
  'heart-rate-recovery': ['Cardio recovery', 'Heart rate recovery of workouts'],
  'sleeping-heart-rate-variability': ['Heart rate variability of nights'],
  'beat-interval': ['Beat to beat intervals'],
  electrocardiogram: ['Electrocardiograms'],
  'oxygen-saturation': ['Blood oxygen saturation'],
  'respiratory-rate': ['Respiratory rate'],
  fev1: ['Forced expiratory volume 1'],
  steps: ['Steps of days'],
  distance: ['Distance of days', 'Walking running distance'],
  'cycling-distance': ['Cycling distance'],
  'swimming-distance': ['Swimming distance'],
  'workout-distance': ['Distance of activities'],
  'workout-energy': ['Energy of activities', 'Active energy of workouts'],
  'elevation-gain': ['Elevation gained', 'Height climbed'],
  'floors-climbed': ['Floors'],
  'active-energy': ['Active energy of days'],
  'total-energy': ['Energy', 'Energy of days'],
  'exercise-time': ['Exercise'],
  'stand-hours': ['Apple stand hour'],
  activity: ['Workouts'],
  'stair-ascent-speed': ['Stair speed up'],
  'stair-descent-speed': ['Stair speed down'],
  'six-minute-walk': ['Six minute walking test distance'],
  'vo2-max': ['VO2 max', 'VO2 max, running'],
  sleep: ['Sleep stages'],
  'light-sleep': ['Core sleep'],
  'time-awake': ['Time awake'],
  mood: ['State of mind'],
  note: ['Journal', 'Notes of nights', 'Titles of notes'],
  habit: ['Journal'],
  medication: ['Medications'],
  position: ['Positions'],
  trip: ['Movements'],
  'saved-place': ['Places', 'Waypoints'],
  appointment: ['Events'],
  'ovulation-test': ['Ovulation tests'],
  'menstrual-flow': ['Menstrual flow'],
  water: ['Drinks'],
  'food-energy': ['Dietary energy', 'Energy of food'],
  'fat-energy': ['Energy of food from fat'],
  carbohydrates: ['Total carbohydrate'],
  fat: ['Total fat'],
  fibre: ['Dietary fiber', 'Fiber'],
  'dietary-cholesterol': ['Cholesterol'],
  'total-cholesterol': ['Cholesterol'],
  thiamin: ['Thiamin'],
  riboflavin: ['Riboflavin'],
  niacin: ['Niacin'],
  'pantothenic-acid': ['Pantothenic acid'],
  biotin: ['Biotin'],
  folate: ['Folate']
}

const measuresByName = new Map<string, Measure[]>()
for (const measure of measures)
  for (const name of new Set(listNames(measure).map(fold)))
    measuresByName.set(name, [...(measuresByName.get(name) ?? []), measure])

/** Returns the measure of records in a stream that an import names; `undefined` if the name is unknown or of another type. */
export function findMeasureByName(stream: string, type: string): Measure | undefined {
  const plain = type.replace(/^series:/, '')
  return measuresByName.get(fold(stream))?.find(({ types }) => types.includes(plain))
}

function listNames({ codes, id, names }: Measure): string[] {
  return [names.en, ...(importNames[id] ?? []), ...(codes?.healthKit ?? []).map(formatWords)]
}

/** Formats an identifier of HealthKit as imports name its stream: `HKQuantityTypeIdentifierBodyMass` becomes `Body Mass`. */
function formatWords(identifier: string): string {
  return identifier
    .replace(/^HK[A-Z][a-z]+Type(?:Identifier)?/, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
}

/** Returns a name without what spellings differ in. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll('₂', '2').replaceAll('-', ' ').trim()
}
