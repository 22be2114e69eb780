import t from 'tap'
import { sleepAsAndroid } from '../../../../transports/receive/dialects/sleep-as-android.js'
import { missed, noon, read, refused } from './reading.js'

t.test('tracking begins an event, and ends it', t => {
  t.match(read(sleepAsAndroid, { event: 'sleep_tracking_started' }).records, [
    { type: 'sleep/analysis', stream: 'Sleep', source: 'phone', time: noon, duration: null }
  ])
  t.match(read(sleepAsAndroid, { event: 'sleep_tracking_stopped' }).records, [
    { type: 'sleep/analysis', stream: 'Sleep', time: noon, endsOngoing: 86_400 }
  ])
  t.end()
})

const started = (value1: string): unknown =>
  read(sleepAsAndroid, { event: 'sleep_tracking_started', value1 }).records[0]!.time

t.test('values that are times are those of the event', t => {
  t.equal(started(`${noon - 30}500`), noon - 29.5)
  t.equal(started(`${noon + 3600}000`), noon, 'not of the future')
  t.equal(started('1'), noon)
  t.equal(started('9'.repeat(400)), noon)
  t.end()
})

t.test('moments are notes, and other events are counted', t => {
  const reading = read(sleepAsAndroid, {
    event: 'alarm_snooze_clicked',
    value1: `${noon}000`,
    value2: 'Work'
  })
  t.match(reading.records, [
    {
      type: 'note/txt',
      stream: 'Events of nights',
      content: 'alarm snooze clicked',
      clientData: { 'sleep-as-android:values': [`${noon}000`, 'Work'] }
    }
  ])
  t.same(missed(read(sleepAsAndroid, { event: 'constructor' })), { constructor: 1 })
  for (const malformed of ['', '[]', '{}', '{"event":null}', '"x"']) refused(t, sleepAsAndroid, malformed)
  t.end()
})
