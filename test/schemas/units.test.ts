/** Conversion of units. */
import t from 'tap'
import { convertUnit } from '../../schemas/units.js'

t.test('units are converted exactly, and only between units of the same quantity', async t => {
  t.equal(convertUnit(10, 'mass/lb', 'mass/kg'), 4.5359237)
  t.equal(convertUnit(1, 'mass/st', 'mass/lb'), 14)
  t.equal(convertUnit(37, 'temperature/c', 'temperature/f'), 98.6)
  t.equal(convertUnit(98.6, 'temperature/f', 'temperature/c'), 37)
  t.equal(convertUnit(300, 'temperature/k', 'temperature/c'), 26.85)
  t.equal(convertUnit(1, 'length/mi', 'length/km'), 1.609344)
  t.equal(convertUnit(30, 'pressure/inhg', 'pressure/kpa'), 101.59165921023)
  t.equal(convertUnit(1, 'volume/pt', 'volume/floz'), 16)
  t.equal(convertUnit(1, 'mass/kg', 'length/m'), undefined)
  t.equal(convertUnit(1, 'money/chf', 'money/eur'), undefined)
  t.equal(convertUnit(1, 'temperature/c', 'temperature/constructor'), undefined)
  t.equal(convertUnit(1, 'mass/kg', 'mass/constructor'), undefined)
})

t.test('series have the units of their points', async t => {
  t.equal(convertUnit(1, 'series:mass/st', 'mass/lb'), 14)
  t.equal(convertUnit(61.9, 'series:mass/kg', 'mass/kg'), 61.9)
})

t.test('masses and amounts are converted only if the substance is known', async t => {
  t.equal(convertUnit(5, 'density/mmol-l', 'density/mg-dl', true), 90.078, 'glucose')
  t.equal(convertUnit(90.078, 'density/mg-dl', 'density/mmol-l', true), 5, 'glucose')
  t.equal(convertUnit(5, 'density/mmol-l', 'density/mg-dl', 386.65), 193.325, 'cholesterol')
  t.equal(convertUnit(5, 'density/mmol-l', 'density/mg-dl'), undefined)
  t.equal(convertUnit(90, 'density/mg-dl', 'density/g-dl'), 0.09)
})
